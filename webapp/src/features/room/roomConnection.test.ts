import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Heart } from "../../api/types.ts";
import {
  type ConnectionDeps,
  connect,
  POLL_MS,
  REOPEN_MS,
  SILENCE_MS,
  type StreamHandlers,
} from "./roomConnection.ts";

class FakeStream extends EventTarget {
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  close() {
    this.readyState = 2;
  }
  opens() {
    this.readyState = 1;
    this.onopen?.();
  }
  fails(readyState: 0 | 2) {
    this.readyState = readyState;
    this.onerror?.();
  }
  says(name: string, data: unknown) {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    this.dispatchEvent(new MessageEvent(name, { data: text }));
  }
}

const heart: Heart = {
  last_issue: {
    ...{ issue_code: "", site_1: 0, site_2: 0, site_3: 0 },
    ...{ code: 0, base: ["", ""], createtime: 0 },
  },
  issue: { issue: "", openTime1: 0, whether_close: 1, closes_at: 0, draws_at: 0, now: 0 },
  game_status: 1,
  user_quantity: { money: 10, score: 0, version: 1 },
  hit_notice: [],
  message: [],
  recalled: [],
  chat: [],
  chat_removed: [],
  win: null,
};

function given() {
  const streams: FakeStream[] = [];
  let looked = () => {};
  const poll = vi.fn(async () => heart);
  let visible = true;
  const world: ConnectionDeps = {
    openStream: () => {
      const stream = new FakeStream();
      streams.push(stream);
      return stream as unknown as EventSource;
    },
    poll,
    isVisible: () => visible,
    onVisible: (react) => {
      looked = react;
      return () => {};
    },
  };
  const listener = {
    heart: vi.fn<StreamHandlers["heart"]>(),
    bet: vi.fn(),
    recall: vi.fn(),
    draw: vi.fn(),
    chat: vi.fn(),
    chatRemoved: vi.fn(),
    balance: vi.fn(),
    result: vi.fn(),
    link: vi.fn(),
  } satisfies StreamHandlers;
  const close = connect(world, listener);
  const last = () => streams.at(-1) ?? new FakeStream();
  const hide = () => {
    visible = false;
  };
  return { streams, last, poll, listener, close, look: () => looked(), hide };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a room's connection to the server", () => {
  it("asks for one heartbeat at once and every two seconds until the stream is open", async () => {
    const { poll, last, close } = given();
    expect(poll).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(POLL_MS * 2);
    expect(poll).toHaveBeenCalledTimes(3);
    last().opens();
    await vi.advanceTimersByTimeAsync(POLL_MS * 3);
    expect(poll).toHaveBeenCalledTimes(3);
    close();
  });

  it("hands every event to its handler and leaves out what is not JSON", () => {
    const { last, listener, close } = given();
    last().opens();
    last().says("heart", heart);
    last().says("recall", { ids: ["4"] });
    last().says("bet", "not json");
    expect(listener.heart).toHaveBeenLastCalledWith(heart, true);
    expect(listener.recall).toHaveBeenCalledWith(["4"]);
    expect(listener.bet).not.toHaveBeenCalled();
    expect(listener.link).toHaveBeenLastCalledWith("live");
    close();
  });

  it("distinguishes a heartbeat that restarts from one of a continued stream", () => {
    const { last, listener, close } = given();
    last().opens();
    last().says("heart", heart);
    last().says("heart", heart);
    last().fails(0);
    last().opens();
    last().says("resumed", { after: 7 });
    last().says("heart", heart);
    last().fails(0);
    last().opens();
    last().says("heart", heart);
    const restarts = listener.heart.mock.calls.map(([, flag]) => flag);
    expect(restarts).toEqual([true, false, false, true]);
    close();
  });

  it("polls while a dropped stream is resumed and leaves the resuming to the browser", async () => {
    const { last, poll, streams, listener, close } = given();
    last().opens();
    await vi.advanceTimersByTimeAsync(0);
    last().fails(0);
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(poll.mock.calls.length).toBeGreaterThanOrEqual(3);
    expect(listener.link).toHaveBeenLastCalledWith("polling");
    await vi.advanceTimersByTimeAsync(REOPEN_MS * 2);
    expect(streams).toHaveLength(1);
    close();
  });

  it("opens a refused stream again", async () => {
    const { last, streams, close } = given();
    last().fails(2);
    await vi.advanceTimersByTimeAsync(REOPEN_MS);
    expect(streams).toHaveLength(2);
    close();
  });

  it("polls where the stream does not know the member, and leaves it for good", async () => {
    const { last, poll, streams, listener, look, close } = given();
    last().opens();
    await vi.advanceTimersByTimeAsync(0);
    last().says("heart", { ...heart, user_quantity: null });
    expect(last().readyState).toBe(2);
    expect(listener.heart).toHaveBeenCalledWith({ ...heart, user_quantity: null }, true);
    expect(poll).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(REOPEN_MS * 2);
    expect(poll).toHaveBeenCalledTimes(2 + (REOPEN_MS * 2) / POLL_MS);
    look();
    expect(streams).toHaveLength(1);
    expect(listener.link).toHaveBeenLastCalledWith("polling");
    close();
  });

  it("asks once when a standing stream has been silent for long", async () => {
    const { last, poll, close } = given();
    last().opens();
    await vi.advanceTimersByTimeAsync(SILENCE_MS + POLL_MS);
    expect(poll).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(POLL_MS * 2);
    expect(poll).toHaveBeenCalledTimes(2);
    close();
  });

  it("rests while the page is hidden and asks when it is looked at again", async () => {
    const { poll, hide, look, close } = given();
    hide();
    await vi.advanceTimersByTimeAsync(POLL_MS * 5);
    expect(poll).toHaveBeenCalledTimes(1);
    look();
    expect(poll).toHaveBeenCalledTimes(2);
    close();
  });

  it("is quiet once left", async () => {
    const { poll, last, close, listener } = given();
    close();
    await vi.advanceTimersByTimeAsync(POLL_MS * 3);
    expect(poll).toHaveBeenCalledTimes(1);
    expect(last().readyState).toBe(2);
    expect(listener.heart).not.toHaveBeenCalled();
  });
});
