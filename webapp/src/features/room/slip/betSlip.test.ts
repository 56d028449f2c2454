import { describe, expect, it } from "vitest";
import type { BetKind } from "../../../lib/betKinds.ts";
import {
  bestAndWorst,
  payoutMinor,
  quickAmounts,
  restUnits,
  type SlipBet,
  stakeProblem,
} from "./betSlip.ts";

const line = (kind: BetKind, oddsMilli: number, stakeMinor: number): SlipBet => ({
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
    expect(bestAndWorst([])).toEqual({ costMinor: 0, bestMinor: 0, worstMinor: 0 });
  });

  it("does not add up bets that exclude each other", () => {
    const slip = [line("big", 1980, 10_000), line("small_odd", 3800, 10_000)];
    expect(bestAndWorst(slip)).toEqual({
      costMinor: 20_000,
      bestMinor: 18_000,
      worstMinor: -20_000,
    });
  });

  it("adds up bets that can win together", () => {
    const slip = [line("big", 1980, 10_000), line("odd", 1980, 10_000), line("27", 950_000, 100)];
    expect(bestAndWorst(slip).bestMinor).toBe(19_800 + 19_800 + 95_000 - 20_100);
  });

  it("shows a certain loss as one", () => {
    const slip = [line("big", 1980, 100), line("small", 1980, 100)];
    expect(bestAndWorst(slip)).toEqual({ costMinor: 200, bestMinor: -2, worstMinor: -2 });
  });
});

const limits = { minimumUnits: 10, spendableMinor: 50_050, bets: 1 };

describe("quick amounts", () => {
  it("are 5, 10, 50, 300, 500 and the balance less 1", () => {
    expect(quickAmounts(50_050, 0).map((amount) => amount.units)).toEqual([
      5, 10, 50, 300, 500, 499,
    ]);
  });

  it("round the balance less 1 down to whole u and never below nothing", () => {
    expect([50_099, 199, 150, 40, 0].map(restUnits)).toEqual([499, 0, 0, 0, 0]);
  });

  it("say which of them the balance covers", () => {
    const affordable = quickAmounts(5_000, 0).filter((amount) => amount.affordable);
    expect(affordable.map((amount) => amount.id)).toEqual(["5", "10", "50", "rest"]);
  });
});

describe("bonus money", () => {
  it("pays what the balance does not cover, but is not counted as balance", () => {
    const amounts = quickAmounts(2_000, 3_000);
    const affordable = amounts.filter((amount) => amount.affordable);
    expect(affordable.map((amount) => amount.id)).toEqual(["5", "10", "50", "rest"]);
    expect(amounts.at(-1)?.units).toBe(19);
  });
});

describe("a stake", () => {
  it("is accepted from the plan's minimum up to the balance", () => {
    expect(stakeProblem("10", limits)).toBeNull();
    expect(stakeProblem("500", limits)).toBeNull();
  });

  it.each([
    ["", "empty"],
    ["10.5", "not_whole"],
    ["abc", "not_whole"],
    ["9", "too_small"],
    ["0", "too_small"],
    ["501", "insufficient"],
  ])("of %j is refused as %s", (text, problem) => {
    expect(stakeProblem(text, limits)).toBe(problem);
  });

  it("is at least 1u whatever the plan says", () => {
    expect(stakeProblem("0", { ...limits, minimumUnits: 0 })).toBe("too_small");
  });

  it("counts once for each bet selected", () => {
    expect(stakeProblem("250", { ...limits, bets: 2 })).toBeNull();
    expect(stakeProblem("250", { ...limits, bets: 3 })).toBe("insufficient");
    expect(stakeProblem("250", { ...limits, bets: 0 })).toBe("nothing_selected");
  });

  it("is left to the server while the balance is unknown", () => {
    expect(stakeProblem("500000", { ...limits, spendableMinor: null })).toBeNull();
  });
});
