import { describe, expect, it } from "vitest";
import { quickAmounts, restUnits, stakeProblem } from "./stake.ts";

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
