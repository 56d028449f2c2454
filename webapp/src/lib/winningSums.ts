/** The sums a bet wins on, in short, and how many of the 1,000 equally likely draws give them. */

import { isBetKind, SUMS, winsOn } from "./betKinds.ts";

export const ALL_DRAWS = 1_000;
const DIGITS = 10;

/** How many draws of three digits give this sum. */
function drawsPerSum(sum: number): number {
  let draws = 0;
  for (let first = 0; first < DIGITS; first++) {
    for (let second = 0; second < DIGITS; second++) {
      const third = sum - first - second;
      if (third >= 0 && third < DIGITS) draws += 1;
    }
  }
  return draws;
}

/** The winning sums of a bet, ascending; empty for an unknown kind. */
export function sumsOf(kind: string): number[] {
  return isBetKind(kind) ? SUMS.filter((sum) => winsOn(kind, sum)) : [];
}

/** How many of the 1,000 draws a bet wins on. */
export function drawsOf(kind: string): number {
  return sumsOf(kind).reduce((draws, sum) => draws + drawsPerSum(sum), 0);
}

/** A bet's winning sums in short; empty for an unknown kind. */
export function sumsText(kind: string): string {
  return inShort(sumsOf(kind));
}

/** Ascending sums in short: "14–27" for a run, "15, 17 … 27" by twos, otherwise "0–3, 24–27". */
export function inShort(sums: readonly number[]): string {
  const [first, second] = sums;
  const byTwos = sums.every((sum, at) => at === 0 || sum === (sums[at - 1] ?? 0) + 2);
  if (second !== undefined && byTwos) return `${first}, ${second} … ${sums.at(-1)}`;
  const starts = sums.filter((sum) => !sums.includes(sum - 1));
  const ends = sums.filter((sum) => !sums.includes(sum + 1));
  return starts
    .map((start, at) => (start === ends[at] ? `${start}` : `${start}–${ends[at]}`))
    .join(", ");
}
