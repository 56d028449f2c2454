/** How a round ended for the player: each own bet answered, and one win notice. */

import type { Order, RoundResult, SettledBet } from "../../../api/types.ts";
import { minorFromWire } from "../../../lib/minorUnits.ts";

export interface Outcome {
  readonly issue: string;
  readonly stakeMinor: number;
  readonly payoutMinor: number;
  readonly bets: readonly AnsweredBet[];
}

export interface AnsweredBet {
  readonly orderNo: string;
  readonly kind: string;
  readonly stakeMinor: number;
  readonly payoutMinor: number;
  readonly hit: boolean;
}

function totals(issue: string, bets: readonly AnsweredBet[]): Outcome {
  const stakeMinor = bets.reduce((total, bet) => total + bet.stakeMinor, 0);
  const payoutMinor = bets.reduce((total, bet) => total + bet.payoutMinor, 0);
  return { issue, stakeMinor, payoutMinor, bets };
}

function settledBet(bet: SettledBet): AnsweredBet {
  return {
    orderNo: bet.orderNo,
    kind: bet.play_type,
    stakeMinor: minorFromWire(bet.quantity),
    payoutMinor: minorFromWire(bet.payout),
    hit: bet.whether_hit === 1,
  };
}

export function outcomeFromEvent(event: RoundResult): Outcome {
  return totals(event.issue, event.bets.map(settledBet));
}

/** From the bet history; null while a bet of the round is still open or there was none. */
export function outcomeFromOrders(issue: string, orders: readonly Order[]): Outcome | null {
  const own = orders.filter((order) => order.issue === issue);
  if (own.some((order) => order.status === 0)) return null;
  const settled = own.filter((order) => order.status === 1);
  return settled.length === 0 ? null : totals(issue, settled.map(settledBet));
}

/** Neither recalled nor voided: its stake counts. */
export const isPlaced = (order: Order): boolean => order.status < 2;

/** Payouts less stakes. */
export function netMinor(bets: readonly AnsweredBet[]): number {
  return bets.reduce((total, bet) => total + bet.payoutMinor - bet.stakeMinor, 0);
}

/** A win worth a notice: something was paid, and it has not been announced under this name. */
export function isUnannouncedWin(
  outcome: Outcome,
  name: string,
  announced: ReadonlySet<string>,
): boolean {
  return outcome.payoutMinor > 0 && !announced.has(name);
}
