import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useNetwork } from "../lib/network.ts";
import { emptySession, useSession } from "../lib/session.ts";
import { initialSettings, useSettings } from "../lib/settings.ts";
import {
  ATTEMPTS,
  CallError,
  call,
  PAUSE_MS,
  PRESENT_MS,
  recordPresence,
  TIMEOUT_MS,
} from "./client.ts";

const ONE = "https://fairdraw.test";
const TWO = "https://two.fairdraw.test";
const reload = vi.fn();
const server = vi.fn<typeof fetch>();
const bet = { issue: "1", plan_id: 1, game_id: 1, play_type: "big", money: 10 };

function answer(envelope: object, status = 200): Response {
  return new Response(JSON.stringify({ msg: "ok", time: 0, data: {}, ...envelope }), { status });
}

/** A server that never answers; its connection ends when the caller gives up. */
function silence(_url: unknown, init?: RequestInit): Promise<Response> {
  return new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
  });
}

function headersOf(attempt: number): Headers {
  return new Headers(server.mock.calls[attempt]?.[1]?.headers);
}

beforeEach(() => {
  vi.useFakeTimers();
  server.mockReset();
  reload.mockReset();
  vi.stubGlobal("fetch", server);
  vi.stubGlobal("location", { host: "fairdraw.test", origin: ONE, reload });
  useSettings.setState(initialSettings());
  useSession.setState({ ...emptySession(), token: "t0ken" });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each([1, 200])("code %i succeeds", async (code) => {
  server.mockResolvedValue(answer({ code, data: { money: 5 } }));
  expect((await call("user/userInfo", {})).data.money).toBe(5);
});

test("host, language and token go with a call; no token with a login", async () => {
  server.mockImplementation(async () => answer({ code: 1 }));
  await call("user/userInfo", {});
  await call("user/login", { account: "a", password: "b" });
  expect(headersOf(0).get("token")).toBe("t0ken");
  expect(headersOf(1).get("token")).toBeNull();
  expect(JSON.parse(String(server.mock.calls[0]?.[1]?.body))).toMatchObject({
    host: "fairdraw.test",
    lang: "en",
  });
});

test("another code rejects with its envelope, and is not repeated", async () => {
  server.mockResolvedValue(answer({ code: 0, msg: "too late", reason: "round_closed" }));
  const failed = call("Lottery/playOrder", bet, { key: "k" });
  await expect(failed).rejects.toMatchObject({ message: "too late", reason: "round_closed" });
  expect(server).toHaveBeenCalledTimes(1);
});

test.each([50008, 50012, 50014])("code %i clears the session, then reloads", async (code) => {
  server.mockResolvedValue(answer({ code }));
  await expect(call("user/userInfo", {})).rejects.toBeInstanceOf(CallError);
  expect(useSession.getState().token).toBe("");
  expect(reload).toHaveBeenCalledOnce();
});

test("an unanswered keyed call is made seven times with the same key, then rejected", async () => {
  server.mockImplementation(silence);
  const attempts: number[] = [];
  const onAttempt = (attempt: number) => attempts.push(attempt);
  const failed = call("Lottery/playOrder", bet, { key: "one-press", onAttempt });
  const outcome = expect(failed).rejects.toMatchObject({ reason: "no_network" });
  await vi.advanceTimersByTimeAsync(ATTEMPTS * TIMEOUT_MS + (ATTEMPTS - 1) * PAUSE_MS);
  await outcome;
  expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(server.mock.calls.map((_, at) => headersOf(at).get("Idempotency-Key"))).toEqual(
    Array(ATTEMPTS).fill("one-press"),
  );
});

test("an unanswered login is made seven times too", async () => {
  server.mockRejectedValue(new TypeError("offline"));
  const failed = expect(call("user/login", { account: "a", password: "b" })).rejects.toThrow();
  await Promise.all([failed, vi.advanceTimersByTimeAsync(ATTEMPTS * PAUSE_MS)]);
  expect(server).toHaveBeenCalledTimes(ATTEMPTS);
});

test("the second attempt begins two seconds after the first has timed out at seven", async () => {
  server.mockImplementation(silence);
  const given = new AbortController();
  const failed = call("user/userInfo", {}, { signal: given.signal });
  const outcome = expect(failed).rejects.toMatchObject({ reason: "cancelled" });
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS + PAUSE_MS - 1);
  expect(server).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(server).toHaveBeenCalledTimes(2);
  given.abort();
  await outcome;
});

test("a write without a key is made once", async () => {
  server.mockRejectedValue(new TypeError("offline"));
  await expect(call("Lottery/recall", { issue: "1", game_id: 1 })).rejects.toMatchObject({
    reason: "no_network",
  });
  expect(server).toHaveBeenCalledTimes(1);
});

test("a busy house is asked again; an answer then succeeds", async () => {
  server.mockResolvedValueOnce(answer({ code: 0, reason: "engine_busy" }, 503));
  server.mockResolvedValueOnce(answer({ code: 1, data: { money: 1 } }));
  const succeeded = call("user/userInfo", {});
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  expect((await succeeded).data.money).toBe(1);
});

test("a weak network is named from the second attempt on, and can be given up", async () => {
  server.mockImplementation(async () => {
    throw new TypeError("offline");
  });
  const failed = call("user/userInfo", {});
  const outcome = expect(failed).rejects.toMatchObject({ reason: "cancelled" });
  await vi.advanceTimersByTimeAsync(1);
  expect(Object.values(useNetwork.getState().retrying)).toEqual([]);
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  const [weak] = Object.values(useNetwork.getState().retrying);
  expect(weak?.attempt).toBe(2);
  weak?.cancel();
  await outcome;
  expect(Object.values(useNetwork.getState().retrying)).toEqual([]);
});

test("a call goes to the chosen line, with the stream's cookie where that may cross", async () => {
  useSettings.setState({ lines: [ONE, TWO] });
  useSession.setState({ activeList: 1 });
  server.mockImplementation(async () => answer({ code: 1 }));
  await call("user/userInfo", {});
  await call("index/index", {});
  useSession.setState({ activeList: 0 });
  await call("user/userInfo", {});
  const [posted, read, own] = server.mock.calls.map(([url]) => String(url));
  expect(posted).toBe(`${TWO}/api/user/userInfo`);
  expect(read).toMatch(`${TWO}/api/index/index?host=fairdraw.test`);
  expect(own).toBe("/api/user/userInfo");
  expect(server.mock.calls[0]?.[1]?.credentials).toBe("include");
  expect(headersOf(0).get("token")).toBe("t0ken");
});

test("a line chosen meanwhile is asked the next time, with the same key", async () => {
  useSettings.setState({ lines: [ONE, TWO] });
  server.mockRejectedValueOnce(new TypeError("dead"));
  server.mockResolvedValueOnce(answer({ code: 1 }));
  const placed = call("Lottery/playOrder", bet, { key: "one-press" });
  await vi.advanceTimersByTimeAsync(1);
  useSession.setState({ activeList: 1 });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  await placed;
  expect(server.mock.calls.map(([url]) => url)).toEqual([
    "/api/Lottery/playOrder",
    `${TWO}/api/Lottery/playOrder`,
  ]);
  expect(headersOf(1).get("Idempotency-Key")).toBe("one-press");
});

test("the line is said to be silent after the seventh attempt, not before", async () => {
  useNetwork.setState({ answeredAt: null, silent: null });
  server.mockRejectedValue(new TypeError("dead"));
  const failed = call("user/userInfo", {});
  const outcome = expect(failed).rejects.toMatchObject({ reason: "no_network" });
  await vi.advanceTimersByTimeAsync((ATTEMPTS - 1) * PAUSE_MS - 1);
  expect(useNetwork.getState().silent).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  await outcome;
  expect(useNetwork.getState().silent).toEqual({ line: 0, waved: false });
});

test.each([
  ["a player who gives a call up sees that the line is not responding", true],
  ["a page that is left says nothing of its line", false],
])("%s", async (_, given) => {
  useNetwork.setState({ answeredAt: null, silent: null });
  server.mockRejectedValue(new TypeError("dead"));
  const page = new AbortController();
  const failed = call("user/userInfo", {}, { signal: page.signal });
  const outcome = expect(failed).rejects.toMatchObject({ reason: "cancelled" });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  if (given) Object.values(useNetwork.getState().retrying)[0]?.cancel();
  else page.abort();
  await outcome;
  expect(useNetwork.getState().silent !== null).toBe(given);
});

test("a call that no touch or key came before says that a timer made it", async () => {
  server.mockImplementation(async () => answer({ code: 1 }));
  recordPresence();
  await call("user/messages", {});
  await vi.advanceTimersByTimeAsync(PRESENT_MS + 1);
  await call("user/messages", {});
  await call("Lottery/playOrder", bet, { key: "k1" });
  const marks = server.mock.calls.map((_, attempt) => headersOf(attempt).get("background"));
  expect(marks).toEqual([null, "1", null]);
});
