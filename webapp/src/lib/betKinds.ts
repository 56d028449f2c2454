/** The kinds of bets, in the order in which they are shown, and the sums that each wins on. */

export const SUMS: readonly number[] = Array.from({ length: 28 }, (_, sum) => sum);

export const HALVES = ["big", "small", "odd", "even"] as const;
export const PAIRS = ["big_odd", "big_even", "small_odd", "small_even"] as const;
export const EXTREMES = ["extreme_big", "extreme_small"] as const;
export const NAMED_KINDS = [...HALVES, ...PAIRS, ...EXTREMES] as const;

export type NamedKind = (typeof NAMED_KINDS)[number];
/** A named kind, or a sum from "0" to "27" as the wire writes it. */
export type BetKind = NamedKind | `${number}`;

const isBig = (sum: number) => sum >= 14;
const isOdd = (sum: number) => sum % 2 === 1;

const WINS: Record<NamedKind, (sum: number) => boolean> = {
  big: isBig,
  small: (sum) => !isBig(sum),
  odd: isOdd,
  even: (sum) => !isOdd(sum),
  big_odd: (sum) => isBig(sum) && isOdd(sum),
  big_even: (sum) => isBig(sum) && !isOdd(sum),
  small_odd: (sum) => !isBig(sum) && isOdd(sum),
  small_even: (sum) => !isBig(sum) && !isOdd(sum),
  extreme_big: (sum) => sum >= 22,
  extreme_small: (sum) => sum <= 5,
};

export function isNamedKind(text: string): text is NamedKind {
  return (NAMED_KINDS as readonly string[]).includes(text);
}

export function isSumKind(text: string): text is `${number}` {
  return /^(?:\d|1\d|2[0-7])$/.test(text);
}

export function isBetKind(text: string): text is BetKind {
  return isNamedKind(text) || isSumKind(text);
}

export function winsOn(kind: BetKind, sum: number): boolean {
  return isNamedKind(kind) ? WINS[kind](sum) : Number(kind) === sum;
}

/** The two halves a sum falls in. */
export function labelsOf(sum: number): readonly NamedKind[] {
  return HALVES.filter((half) => WINS[half](sum));
}

/** The colour family of a kind: the low side cool, the high side warm, sums plain. */
export function toneOf(kind: string): "warm" | "cool" | "plain" {
  if (/^(?:big|odd|extreme_big)/.test(kind)) return "warm";
  return isNamedKind(kind) ? "cool" : "plain";
}
