import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadWithRetry, releaseDetector } from "./lazyWithRetry.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a part that cannot be loaded is asked for again until it comes, and never fails", async () => {
  const load = vi.fn(async () => "part");
  load.mockRejectedValueOnce(new TypeError("dead"));
  load.mockRejectedValueOnce(new TypeError("dead"));
  const loaded = loadWithRetry(load);
  await vi.runAllTimersAsync();
  expect(await loaded).toBe("part");
  expect(load).toHaveBeenCalledTimes(3);
});

test("what is hopeless is given up, with its own failure", async () => {
  const load = vi.fn(async () => Promise.reject(new TypeError("gone")));
  const isHopeless = vi.fn(async () => load.mock.calls.length === 2);
  const failure = expect(loadWithRetry(load, isHopeless)).rejects.toThrow("gone");
  await vi.runAllTimersAsync();
  await failure;
  expect(load).toHaveBeenCalledTimes(2);
});

async function verdicts(...reachable: boolean[]): Promise<boolean[]> {
  const left = [...reachable];
  const isGone = releaseDetector(async () => left.shift() ?? true);
  const said: boolean[] = [];
  for (const _ of reachable) said.push(await isGone());
  return said;
}

test("code that the server does not have is gone after three attempts in a row", async () => {
  expect(await verdicts(true, true, true)).toEqual([false, false, true]);
});

test("an attempt that failed while the network came back does not count as a release", async () => {
  expect(await verdicts(true, true)).toEqual([false, false]);
  expect(await verdicts(true, false, true, true)).toEqual([false, false, false, false]);
});
