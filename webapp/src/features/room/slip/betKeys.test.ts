import { describe, expect, it } from "vitest";
import { isUndecided } from "../../../api/idempotencyKey.ts";
import { keyFor, unansweredIssue, withKey, withoutKey } from "./betKeys.ts";

const bet = { issue: "7", planId: 1, kind: "big", stakeMinor: 1000 } as const;
const fresh = () => "fresh";

describe("the key of a bet", () => {
  it("is fresh for each press that was decided", () => {
    const keys = withKey(new Map(), bet, "first");
    expect(keyFor(withoutKey(keys, bet), bet, fresh)).toBe("fresh");
  });

  it("stays while the outcome is unknown, for the very same bet only", () => {
    const keys = withKey(new Map(), bet, "first");
    expect(keyFor(keys, bet, fresh)).toBe("first");
    expect(keyFor(keys, { ...bet, stakeMinor: 1100 }, fresh)).toBe("fresh");
    expect(keyFor(keys, { ...bet, issue: "8" }, fresh)).toBe("fresh");
    expect(keyFor(keys, { ...bet, planId: 2 }, fresh)).toBe("fresh");
  });

  it("tells the earlier round in which the same bet is still unanswered", () => {
    const keys = withKey(new Map(), bet, "first");
    expect(unansweredIssue(keys, { ...bet, issue: "8" })).toBe("7");
    expect(unansweredIssue(keys, bet)).toBeUndefined();
    expect(unansweredIssue(keys, { ...bet, issue: "8", planId: 11 })).toBeUndefined();
    expect(unansweredIssue(keys, { ...bet, issue: "8", kind: "odd" })).toBeUndefined();
    expect(unansweredIssue(withoutKey(keys, bet), { ...bet, issue: "8" })).toBeUndefined();
  });

  it("is not kept for ever", () => {
    let keys = withKey(new Map(), bet, "first");
    for (let issue = 100; issue < 400; issue++) {
      keys = withKey(keys, { ...bet, issue: String(issue) }, "later");
    }
    expect(keys.size).toBeLessThanOrEqual(200);
    expect(keyFor(keys, bet, fresh)).toBe("fresh");
  });

  it("is given up after the house's own refusals, not after a lost answer", () => {
    expect(["no_network", "cancelled", "outcome_unknown"].every(isUndecided)).toBe(true);
    expect(["funds_insufficient", "round_closed", "stake_too_small"].some(isUndecided)).toBe(false);
  });
});
