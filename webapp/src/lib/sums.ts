/** Which sums each bet wins on, and how many of the 1,000 equally likely draws give them. */

import { type NamedKind, namedKinds } from "../i18n/kinds.ts";

export const ALL_DRAWS = 1_000;
const DIGITS = 10;
const MOST = 27;
const LEAST_BIG = 14;
const MOST_EXTREME_SMALL = 5;
const LEAST_EXTREME_BIG = 22;

const big = (sum: number) => sum >= LEAST_BIG;
const odd = (sum: number) => sum % 2 === 1;

const WINS: Record<NamedKind, (sum: number) => boolean> = {
  big,
  small: (sum) => !big(sum),
  odd,
  even: (sum) => !odd(sum),
  big_odd: (sum) => big(sum) && odd(sum),
  big_even: (sum) => big(sum) && !odd(sum),
  small_odd: (sum) => !big(sum) && odd(sum),
  small_even: (sum) => !big(sum) && !odd(sum),
  extreme_big: (sum) => sum >= LEAST_EXTREME_BIG,
  extreme_small: (sum) => sum <= MOST_EXTREME_SMALL,
};

const SUMS = Array.from({ length: MOST + 1 }, (_, sum) => sum);

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

/** The winning sums of a bet, ascending; none for a kind that is not known. */
export function sumsOf(kind: string): number[] {
  const named = namedKinds.find((each) => each === kind);
  if (named !== undefined) return SUMS.filter(WINS[named]);
  return SUMS.filter((sum) => String(sum) === kind);
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
