import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PRESENT_MS, recordPresence } from "../lib/presence.ts";
import { call } from "./client.ts";

const server = vi.fn<typeof fetch>();
const bet = { issue: "1", plan_id: 1, game_id: 1, play_type: "big", money: 10 };

beforeEach(() => {
  vi.useFakeTimers();
  server.mockImplementation(async () => new Response(JSON.stringify({ code: 1, data: {} })));
  vi.stubGlobal("fetch", server);
  vi.stubGlobal("location", { host: "fairdraw.test", origin: "https://fairdraw.test" });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a call that no touch or key came before says that a timer made it", async () => {
  recordPresence();
  await call("user/messages", {});
  await vi.advanceTimersByTimeAsync(PRESENT_MS + 1);
  await call("user/messages", {});
  await call("Lottery/playOrder", bet, { key: "k1" });
  const marks = server.mock.calls.map(([, init]) => new Headers(init?.headers).get("background"));
  expect(marks).toEqual([null, "1", null]);
});
