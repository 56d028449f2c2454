import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { patiently } from "./patiently.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a part that cannot be loaded is asked for again until it comes, and never fails", async () => {
  const load = vi.fn(async () => "part");
  load.mockRejectedValueOnce(new TypeError("dead"));
  load.mockRejectedValueOnce(new TypeError("dead"));
  const loaded = patiently(load);
  await vi.runAllTimersAsync();
  expect(await loaded).toBe("part");
  expect(load).toHaveBeenCalledTimes(3);
});
