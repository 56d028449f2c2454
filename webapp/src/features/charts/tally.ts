import type { Candle } from "../../api/types.ts";

export const HIGHEST_SUM = 27;
const FIRST_BIG = 14;

export type LegendKind = "big" | "small" | "odd" | "even";

/** How many of the draws were long (14 to 27), short, single and double. */
export function tally(candles: readonly Candle[]): Record<LegendKind, number> {
  const count = (hits: (sum: number) => boolean) =>
    candles.filter((candle) => hits(candle.cand_code)).length;
  return {
    big: count((sum) => sum >= FIRST_BIG),
    small: count((sum) => sum < FIRST_BIG),
    odd: count((sum) => sum % 2 === 1),
    even: count((sum) => sum % 2 === 0),
  };
}

/** What of an issue fits under an axis: its number within the day. */
export function shortIssue(issue: string): string {
  return issue.slice(-3);
}
