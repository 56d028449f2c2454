import { expect, test } from "vitest";
import { shortIssue } from "./CandleChart.tsx";
import { shares } from "./CandlesPage.tsx";

const candle = (sum: number) => ({
  issue: `20261122${String(sum).padStart(3, "0")}`,
  cand: [0, sum, 0, sum] as [number, number, number, number],
  cand_code: sum,
});

test("every draw is long or short, and single or double, by its sum", () => {
  expect(shares([0, 12, 13, 14, 27].map(candle))).toEqual({
    big: 40,
    small: 60,
    odd: 40,
    even: 60,
  });
  expect(shares([])).toEqual({ big: 0, small: 0, odd: 0, even: 0 });
});

test("what is long and what is short make a hundred, however the halves fall", () => {
  const eight = [0, 1, 2, 14, 15, 16, 17, 18].map(candle);
  expect(shares(eight)).toEqual({ big: 63, small: 37, odd: 38, even: 62 });
});

test("an issue is shown under the axis by its number within the day", () => {
  expect(shortIssue("20261122274")).toBe("274");
});
