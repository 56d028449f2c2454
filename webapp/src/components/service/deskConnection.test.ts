// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FromDesk, ToDesk } from "./deskConnection.ts";
import { connectToDesk, type Desk, type LinkState, waitMs } from "./deskConnection.ts";
import { FakeSocket, here, newest } from "./fakeSocket.ts";

const hello: ToDesk = { type: "hello", visit: "v", language: "en", after: "" };
const message = (id: string): ToDesk => ({ type: "message", id, text: `text ${id}` });
let online = true;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  vi.spyOn(navigator, "onLine", "get").mockImplementation(() => online);
  FakeSocket.all = [];
  FakeSocket.refused = false;
  online = true;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function given() {
  const links: LinkState[] = [];
  const frames: FromDesk[] = [];
  const waiting: ToDesk[] = [];
  const desk: Desk = {
    hello: () => hello,
    unsent: () => waiting,
    onLink: (link) => links.push(link),
    onFrame: (frame) => frames.push(frame),
  };
  const connection = connectToDesk("wss://help.example/live", desk);
  return { connection, links, frames, waiting };
}

test("the desk is connected once it has said whether anyone is there", () => {
  const { links, connection } = given();
  expect(newest().url).toBe("wss://help.example/live");
  expect(newest().protocol).toBe("fairdraw.service.v1");
  here();
  expect(newest().sent).toEqual([hello]);
  newest().says({ type: "state", state: "away" });
  expect(links).toEqual(["connecting", "here", "away"]);
  connection.close();
  expect(newest().closed).toBe(true);
});

test("a lost connection is tried again after growing waits, at most half a minute", () => {
  const { links, connection } = given();
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    const count = FakeSocket.all.length;
    newest().onclose?.();
    vi.advanceTimersByTime(seconds * 1_000 - 1);
    expect(FakeSocket.all).toHaveLength(count);
    vi.advanceTimersByTime(1);
    expect(FakeSocket.all).toHaveLength(count + 1);
  }
  expect(new Set(links.slice(1))).toEqual(new Set(["reconnecting"]));
  expect([waitMs(3, 0), waitMs(3, 1)]).toEqual([3_000, 5_000]);
  connection.close();
});

test("a desk that greets and hangs up over and over is asked ever more rarely", () => {
  const { connection } = given();
  for (const seconds of [1, 2, 4]) {
    here();
    newest().onclose?.();
    const count = FakeSocket.all.length;
    vi.advanceTimersByTime(seconds * 1_000 - 1);
    expect(FakeSocket.all).toHaveLength(count);
    vi.advanceTimersByTime(1);
  }
  here();
  vi.advanceTimersByTime(11_000);
  newest().onclose?.();
  const count = FakeSocket.all.length;
  vi.advanceTimersByTime(1_000);
  expect(FakeSocket.all).toHaveLength(count + 1);
  connection.close();
});

test("what the desk has not acknowledged is sent again with the next connection", () => {
  const { waiting, connection } = given();
  waiting.push(message("a"));
  connection.send(message("a"));
  expect(newest().sent).toEqual([]);
  here();
  expect(newest().sent).toEqual([hello, message("a")]);
  newest().onclose?.();
  connection.retry();
  here();
  expect(newest().sent).toEqual([hello, message("a")]);
  connection.close();
});

test("a desk that no longer acknowledges is left and tried again", () => {
  const { waiting, links, connection } = given();
  here();
  waiting.push(message("a"), message("b"));
  connection.send(message("a"));
  connection.send(message("b"));
  waiting.shift();
  newest().says({ type: "received", id: "a" });
  const silent = newest();
  vi.advanceTimersByTime(15_000);
  expect(silent.closed).toBe(true);
  expect(links.at(-1)).toBe("reconnecting");
  connection.close();
});

test("a quiet conversation is left alone for as long as it is quiet", () => {
  const { links, connection } = given();
  here();
  vi.advanceTimersByTime(3_600_000);
  expect(links).toEqual(["connecting", "here"]);
  connection.close();
});

test("a server that accepts the socket and then says nothing is left", () => {
  const { links, connection } = given();
  newest().onopen?.();
  vi.advanceTimersByTime(15_000);
  expect(newest().closed).toBe(true);
  expect(links.at(-1)).toBe("reconnecting");
  connection.close();
});

test("without a network nothing is tried, and at once when it is back", () => {
  online = false;
  const { links, connection } = given();
  vi.advanceTimersByTime(600_000);
  expect(FakeSocket.all).toEqual([]);
  expect(links).toEqual(["offline"]);
  online = true;
  dispatchEvent(new Event("online"));
  expect(FakeSocket.all).toHaveLength(1);
  online = false;
  dispatchEvent(new Event("offline"));
  expect(links.at(-1)).toBe("offline");
  connection.close();
});

test("nonsense of the desk changes nothing", () => {
  const { frames, links, connection } = given();
  here();
  const before = [...links];
  for (const nonsense of [
    ...["", "{", "null", "[]", '"text"', '{"type":"state","state":"gone"}', '{"type":"message"}'],
    ...['{"type":"message","id":"1","text":" "}', '{"type":"message","id":1,"text":"x"}'],
    ...[`{"type":"message","id":"1","text":"${"x".repeat(70_000)}"}`, '{"type":"later"}'],
  ]) {
    newest().says(nonsense);
  }
  newest().onmessage?.({ data: new ArrayBuffer(8) });
  expect(frames).toEqual([{ type: "state", state: "here" }]);
  expect(links).toEqual(before);
  connection.close();
});

test("an address that the browser refuses leaves the app alive", () => {
  FakeSocket.refused = true;
  const { links, connection } = given();
  expect(links).toEqual(["connecting", "reconnecting"]);
  connection.close();
  vi.advanceTimersByTime(60_000);
  expect(links).toHaveLength(2);
});

test("a connection that was closed here hears of nothing any more", () => {
  const { links, connection } = given();
  const old = newest();
  connection.close();
  old.onclose?.();
  dispatchEvent(new Event("online"));
  vi.advanceTimersByTime(60_000);
  expect(FakeSocket.all).toHaveLength(1);
  expect(links).toEqual(["connecting"]);
});
