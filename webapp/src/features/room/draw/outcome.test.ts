import { describe, expect, it } from "vitest";
import type { Order, RoundResult, SettledBet } from "../../../api/types.ts";
import { isUnannouncedWin, outcomeFromEvent, outcomeFromOrders } from "./outcome.ts";

const order = (part: Partial<Order>): Order => ({
  createtime: 1,
  play_method: "Big",
  play_type: "big",
  title: "Singapore",
  plan_name: "Ordinary hall",
  game_id: 1,
  plan_id: 1,
  status: 1,
  whether_hit: 0,
  profit: -10,
  payout: 0,
  odds: 1.98,
  issue: "7",
  quantity: 10,
  orderNo: "a",
  lottery_code: "5 8 2 15",
  ...part,
});
const won = order({ whether_hit: 1, payout: 19.8, profit: 9.8, orderNo: "b" });

describe("the outcome of a round", () => {
  it("adds up the settled bets of that round", () => {
    const outcome = outcomeFromOrders("7", [order({}), won, order({ issue: "6", payout: 99 })]);
    expect(outcome).toMatchObject({ stakeMinor: 2000, payoutMinor: 1980 });
    expect(outcome?.bets.map((bet) => bet.hit)).toEqual([false, true]);
  });

  it("is not known while one bet is open", () => {
    expect(outcomeFromOrders("7", [won, order({ status: 0 })])).toBeNull();
  });

  it("leaves out recalled and voided bets", () => {
    expect(outcomeFromOrders("7", [order({ status: 2 }), order({ status: 3 })])).toBeNull();
    expect(outcomeFromOrders("7", [won, order({ status: 2 })])?.bets).toHaveLength(1);
  });

  it("reads the same from the win event", () => {
    const bets: SettledBet[] = [
      { orderNo: "b", play_type: "big", quantity: 10, payout: 19.8, profit: 9.8, whether_hit: 1 },
    ];
    const event: RoundResult = {
      issue: "7",
      game_id: 1,
      payout: 19.8,
      profit: 9.8,
      stake: 10,
      bets,
    };
    expect(outcomeFromEvent(event)).toEqual(outcomeFromOrders("7", [won]));
  });
});

describe("the win notice", () => {
  const outcome = outcomeFromOrders("7", [won]);

  it("shows once per issue", () => {
    expect(outcome && isUnannouncedWin(outcome, "7/1:7", new Set())).toBe(true);
    expect(outcome && isUnannouncedWin(outcome, "7/1:7", new Set(["7/1:7"]))).toBe(false);
  });

  it("does not show when nothing was paid", () => {
    const lost = outcomeFromOrders("7", [order({})]);
    expect(lost && isUnannouncedWin(lost, "7/1:7", new Set())).toBe(false);
  });
});
