/** What a slip costs and what it can bring, over the 28 sums. */

import { type BetKind, SUMS, winsOn } from "./kinds.ts";

export interface Line {
  readonly kind: BetKind;
  readonly oddsMilli: number;
  readonly stakeMinor: number;
}

export interface Outlook {
  readonly costMinor: number;
  /** Payout less cost at the luckiest sum; below zero when no sum pays the cost back. */
  readonly bestMinor: number;
  /** Payout less cost at the unluckiest sum; above zero only if every sum pays more than the cost. */
  readonly worstMinor: number;
}

/** Gross payout, rounded down to a minor unit as the house rounds it. */
export function payoutMinor(stakeMinor: number, oddsMilli: number): number {
  const thousandths = stakeMinor * oddsMilli;
  return (thousandths - (thousandths % 1000)) / 1000;
}

function payoutOn(lines: readonly Line[], sum: number): number {
  return lines
    .filter((line) => winsOn(line.kind, sum))
    .reduce((total, line) => total + payoutMinor(line.stakeMinor, line.oddsMilli), 0);
}

/** Best and worst are taken sum by sum: bets that exclude each other do not add up. */
export function outlook(lines: readonly Line[]): Outlook {
  const costMinor = lines.reduce((total, line) => total + line.stakeMinor, 0);
  const nets = SUMS.map((sum) => payoutOn(lines, sum) - costMinor);
  return { costMinor, bestMinor: Math.max(...nets), worstMinor: Math.min(...nets) };
}
