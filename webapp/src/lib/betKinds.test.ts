import { describe, expect, it } from "vitest";
import { type BetKind, isBetKind, labelsOf, NAMED_KINDS, SUMS, winsOn } from "./betKinds.ts";

/** How many of the 1000 equally likely draws give each sum. */
function draws(kind: BetKind): number {
  let count = 0;
  for (let draw = 0; draw < 1000; draw += 1) {
    const sum = Math.floor(draw / 100) + (Math.floor(draw / 10) % 10) + (draw % 10);
    if (winsOn(kind, sum)) count += 1;
  }
  return count;
}

describe("the sums a bet wins on", () => {
  it.each([
    ["big", 500],
    ["small", 500],
    ["odd", 500],
    ["even", 500],
    ["small_odd", 269],
    ["big_even", 269],
    ["small_even", 231],
    ["big_odd", 231],
    ["extreme_small", 56],
    ["extreme_big", 56],
    ["0", 1],
    ["13", 75],
    ["27", 1],
  ] as const)("%s wins on %i of the thousand draws", (kind, count) => {
    expect(draws(kind)).toBe(count);
  });

  it("a sum wins on itself alone", () => {
    expect(SUMS.filter((sum) => winsOn("9", sum))).toEqual([9]);
  });

  it("labels a sum by its two halves", () => {
    expect([labelsOf(14), labelsOf(13)]).toEqual([
      ["big", "even"],
      ["small", "odd"],
    ]);
  });

  it("knows the kinds of the wire and no others", () => {
    expect([...NAMED_KINDS, "0", "9", "10", "27"].every(isBetKind)).toBe(true);
    expect(["28", "-1", "07", "1.5", "", "toString", "BIG"].some(isBetKind)).toBe(false);
  });
});
