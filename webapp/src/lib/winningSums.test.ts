import { expect, test } from "vitest";
import { ALL_DRAWS, drawsOf, inShort, sumsOf, sumsText } from "./winningSums.ts";

test("every sum is drawn as often as the table of the house says", () => {
  const draws = Array.from({ length: 28 }, (_, sum) => drawsOf(String(sum)));
  expect(draws.slice(0, 14)).toEqual([1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 63, 69, 73, 75]);
  expect(draws.toReversed()).toEqual(draws);
  expect(draws.reduce((all, each) => all + each, 0)).toBe(ALL_DRAWS);
});

test("opposite bets share the draws between them, and each pair is half of a half", () => {
  expect(drawsOf("big") + drawsOf("small")).toBe(ALL_DRAWS);
  expect(drawsOf("odd") + drawsOf("even")).toBe(ALL_DRAWS);
  expect(drawsOf("big_odd") + drawsOf("big_even")).toBe(drawsOf("big"));
  expect(drawsOf("small_odd") + drawsOf("big_odd")).toBe(drawsOf("odd"));
  expect(drawsOf("extreme_big")).toBe(56);
  expect(drawsOf("extreme_small")).toBe(56);
});

test("winning sums are written in short", () => {
  expect(sumsText("big")).toBe("14–27");
  expect(sumsText("odd")).toBe("1, 3 … 27");
  expect(sumsText("even")).toBe("0, 2 … 26");
  expect(sumsText("big_odd")).toBe("15, 17 … 27");
  expect(sumsText("small_even")).toBe("0, 2 … 12");
  expect(sumsText("extreme_small")).toBe("0–5");
  expect(sumsText("9")).toBe("9");
});

test("sums with gaps are not written as one run", () => {
  expect(inShort([0, 1, 2, 3, 24, 25, 26, 27])).toBe("0–3, 24–27");
  expect(inShort([1, 5, 6])).toBe("1, 5–6");
  expect(inShort([1, 3, 6])).toBe("1, 3, 6");
  expect(inShort([26, 27])).toBe("26–27");
});

test("an unknown kind wins on nothing", () => {
  for (const kind of ["", "28", "-1", "09", "toString", "9.5"]) {
    expect(sumsOf(kind)).toEqual([]);
    expect(sumsText(kind)).toBe("");
  }
});
