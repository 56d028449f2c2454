import { expect, test } from "vitest";
import { shortIssue, tally } from "./tally.ts";

const candle = (sum: number) => ({
  issue: `20261122${String(sum).padStart(3, "0")}`,
  cand: [0, sum, 0, sum] as [number, number, number, number],
  cand_code: sum,
});

test("every draw is long or short, and single or double, by its sum", () => {
  expect(tally([0, 13, 14, 27].map(candle))).toEqual({ big: 2, small: 2, odd: 2, even: 2 });
  expect(tally([])).toEqual({ big: 0, small: 0, odd: 0, even: 0 });
});

test("an issue is told under the axis by its number within the day", () => {
  expect(shortIssue("20261122274")).toBe("274");
});
