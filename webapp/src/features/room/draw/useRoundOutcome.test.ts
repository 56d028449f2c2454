import { describe, expect, it } from "vitest";
import type { Draw, Order } from "../../../api/types.ts";
import { settleLocally } from "./useRoundOutcome.ts";

const draw: Draw = {
  issue_code: "7",
  site_1: 5,
  site_2: 8,
  site_3: 2,
  code: 15,
  base: ["Big", "Odd"],
  createtime: 1,
};
const order = (
  orderNo: string,
  play_type: string,
  status: Order["status"],
  issue = "7",
): Order => ({
  createtime: 1,
  title: "Singapore",
  play_method: play_type,
  play_type,
  plan_name: "Ordinary hall",
  game_id: 1,
  plan_id: 1,
  status,
  whether_hit: 0,
  profit: 0,
  payout: 0,
  odds: 1.98,
  issue,
  quantity: 10,
  orderNo,
  lottery_code: "",
});

describe("the answers to one's bets", () => {
  it("follow from the draw at once", () => {
    const answers = settleLocally(draw, [order("a", "big", 0), order("b", "even", 0)], null);
    expect(answers.map(({ hit, payoutMinor }) => [hit, payoutMinor])).toEqual([
      [true, 1980],
      [false, 0],
    ]);
  });

  it("leave out recalled, voided and other rounds' bets", () => {
    const orders = [order("a", "big", 2), order("b", "big", 3), order("c", "big", 0, "6")];
    expect(settleLocally(draw, orders, null)).toEqual([]);
  });

  it("are the server's as soon as it has settled", () => {
    const bets = [{ orderNo: "a", kind: "big", stakeMinor: 1000, payoutMinor: 1980, hit: true }];
    const settled = { issue: "7", stakeMinor: 1000, payoutMinor: 1980, bets };
    expect(settleLocally(draw, [order("a", "big", 0)], settled)).toBe(bets);
  });
});
