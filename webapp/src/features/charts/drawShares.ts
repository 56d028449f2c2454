import type { Candle } from "../../api/types.ts";
import { type HALVES, winsOn } from "../../lib/betKinds.ts";

export const HIGHEST_SUM = 27;

export type LegendKind = (typeof HALVES)[number];

/** Whole percents of the draws that were long (14 to 27) or short, single or double. */
export function shares(candles: readonly Candle[]): Record<LegendKind, number> {
  const share = (hits: (sum: number) => boolean) =>
    Math.round((100 * candles.filter((candle) => hits(candle.cand_code)).length) / candles.length);
  const all = candles.length && 100;
  const big = all && share((sum) => winsOn("big", sum));
  const odd = all && share((sum) => winsOn("odd", sum));
  return { big, small: all - big, odd, even: all - odd };
}

/** What of an issue fits under an axis: its number within the day. */
export function shortIssue(issue: string): string {
  return issue.slice(-3);
}
