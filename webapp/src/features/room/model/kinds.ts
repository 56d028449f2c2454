/** The bets a room offers and the sums each of them wins on. */

export const SUMS: readonly number[] = Array.from({ length: 28 }, (_, sum) => sum);

export const HALVES = ["big", "small", "odd", "even"] as const;
export const PAIRS = ["big_odd", "big_even", "small_odd", "small_even"] as const;
export const EXTREMES = ["extreme_big", "extreme_small"] as const;
export const BASE_KINDS = [...HALVES, ...PAIRS, ...EXTREMES] as const;

export type BaseKind = (typeof BASE_KINDS)[number];
/** A base kind, or a sum from "0" to "27" as the wire writes it. */
export type BetKind = BaseKind | `${number}`;

const wins: Record<BaseKind, (sum: number) => boolean> = {
  big: (sum) => sum >= 14,
  small: (sum) => sum <= 13,
  odd: (sum) => sum % 2 === 1,
  even: (sum) => sum % 2 === 0,
  big_odd: (sum) => sum >= 14 && sum % 2 === 1,
  big_even: (sum) => sum >= 14 && sum % 2 === 0,
  small_odd: (sum) => sum <= 13 && sum % 2 === 1,
  small_even: (sum) => sum <= 13 && sum % 2 === 0,
  extreme_big: (sum) => sum >= 22,
  extreme_small: (sum) => sum <= 5,
};

export function isBaseKind(text: string): text is BaseKind {
  return (BASE_KINDS as readonly string[]).includes(text);
}

export function isSumKind(text: string): text is `${number}` {
  return /^(?:\d|1\d|2[0-7])$/.test(text);
}

export function isBetKind(text: string): text is BetKind {
  return isBaseKind(text) || isSumKind(text);
}

export function winsOn(kind: BetKind, sum: number): boolean {
  return isBaseKind(kind) ? wins[kind](sum) : Number(kind) === sum;
}

/** The two halves a sum falls in. */
export function labelsOf(sum: number): readonly BaseKind[] {
  return HALVES.filter((half) => wins[half](sum));
}

/** The colour family of a kind: the low side cool, the high side warm, the rest plain. */
export function toneOf(kind: string): "warm" | "cool" | "plain" {
  if (/^(?:big|odd|extreme_big)/.test(kind)) return "warm";
  return isBaseKind(kind) ? "cool" : "plain";
}
