import { describe, expect, it } from "vitest";
import type { BetKind } from "./kinds.ts";
import { type Line, outlook, payoutMinor } from "./slip.ts";

const line = (kind: BetKind, oddsMilli: number, stakeMinor: number): Line => ({
  kind,
  oddsMilli,
  stakeMinor,
});

describe("payout", () => {
  it("is stake times odds, rounded down", () => {
    expect(payoutMinor(100, 1980)).toBe(198);
    expect(payoutMinor(1, 1980)).toBe(1);
    expect(payoutMinor(700, 13010)).toBe(9107);
  });

  it("stays exact for the largest stake at the longest odds", () => {
    expect(payoutMinor(5_000_000, 950_000)).toBe(4_750_000_000);
    expect(payoutMinor(9_007_199, 999_999)).toBe(9_007_189_992);
  });
});

describe("the outlook of a slip", () => {
  it("is nothing for an empty slip", () => {
    expect(outlook([])).toEqual({ costMinor: 0, bestMinor: 0, worstMinor: 0 });
  });

  it("does not add up bets that exclude each other", () => {
    const slip = [line("big", 1980, 10_000), line("small_odd", 3800, 10_000)];
    expect(outlook(slip)).toEqual({ costMinor: 20_000, bestMinor: 18_000, worstMinor: -20_000 });
  });

  it("adds up bets that can win together", () => {
    const slip = [line("big", 1980, 10_000), line("odd", 1980, 10_000), line("27", 950_000, 100)];
    expect(outlook(slip).bestMinor).toBe(19_800 + 19_800 + 95_000 - 20_100);
  });

  it("shows a certain loss as one", () => {
    const slip = [line("big", 1980, 100), line("small", 1980, 100)];
    expect(outlook(slip)).toEqual({ costMinor: 200, bestMinor: -2, worstMinor: -2 });
  });
});
