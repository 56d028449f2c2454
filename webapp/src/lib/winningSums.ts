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

/** The sums in short: "14–27" where they are all between, "15, 17 … 27" by twos, "9" alone. */
export function sumsText(kind: string): string {
  const sums = sumsOf(kind);
  const [first, second] = sums;
  const last = sums.at(-1);
  if (first === undefined || last === undefined) return "";
  if (second === undefined) return String(first);
  return second === first + 1 ? `${first}–${last}` : `${first}, ${second} … ${last}`;
}
