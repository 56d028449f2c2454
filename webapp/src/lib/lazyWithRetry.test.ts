import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadWithRetry } from "./lazyWithRetry.ts";

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
