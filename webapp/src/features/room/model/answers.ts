/** The member's bets on a drawn round, answered at once by the draw itself. */

import type { Draw, Order } from "../../../api/types.ts";
import { isBetKind, winsOn } from "./kinds.ts";
import type { AnsweredBet, Outcome } from "./outcome.ts";
import { payoutMinor } from "./slip.ts";
import { milliFromWire, minorFromWire } from "./units.ts";

const OPEN_OR_SETTLED = [0, 1];

function answered(order: Order, sum: number): AnsweredBet {
  const stakeMinor = minorFromWire(order.quantity);
  const hit = isBetKind(order.play_type) && winsOn(order.play_type, sum);
  const paid = hit ? payoutMinor(stakeMinor, milliFromWire(order.odds)) : 0;
  return { orderNo: order.orderNo, kind: order.play_type, stakeMinor, payoutMinor: paid, hit };
}

/** The server's settlement where it is known, the draw's plain consequence until then. */
export function answersOf(
  draw: Draw,
  orders: readonly Order[],
  settled: Outcome | null,
): readonly AnsweredBet[] {
  if (settled?.issue === draw.issue_code) return settled.bets;
  return orders
    .filter((order) => OPEN_OR_SETTLED.includes(order.status) && order.issue === draw.issue_code)
    .map((order) => answered(order, Number(draw.code)));
}
