/** What only the event stream says; money is in u. The rest is in api/types.ts. */

import type { Order } from "../../../api/types.ts";

export type SettledBet = Pick<
  Order,
  "orderNo" | "play_type" | "quantity" | "payout" | "profit" | "whether_hit"
>;

/** A member's round, win or lose, once all of its bets are settled. */
export interface RoundResult {
  issue: string;
  game_id: number;
  payout: number;
  profit: number;
  stake: number;
  bets: SettledBet[];
}
