/** The amount field: quick amounts and what makes a stake unacceptable. */

import { minorFromUnits, wholeUnits } from "./units.ts";

const FIXED_UNITS = [5, 10, 50, 300, 500];
/** The last quick amount leaves this much in the balance. */
const KEEP_MINOR = 100;
const SMALLEST_UNITS = 1;

export interface QuickAmount {
  readonly id: string;
  readonly units: number;
  readonly rest: boolean;
  readonly affordable: boolean;
}

/** Balance less 1u, rounded down to whole u. */
export function restUnits(balanceMinor: number): number {
  return Math.max(0, Math.floor((balanceMinor - KEEP_MINOR) / 100));
}

/** Bonus money pays what the balance does not cover; the last amount goes by the balance alone. */
export function quickAmounts(balanceMinor: number, bonusMinor: number): readonly QuickAmount[] {
  const fixed = FIXED_UNITS.map((units) => ({
    id: String(units),
    units,
    rest: false,
    affordable: minorFromUnits(units) <= balanceMinor + bonusMinor,
  }));
  const units = restUnits(balanceMinor);
  return [...fixed, { id: "rest", units, rest: true, affordable: units >= SMALLEST_UNITS }];
}

export type StakeProblem =
  | "nothing_selected"
  | "empty"
  | "not_whole"
  | "too_small"
  | "insufficient";

export interface StakeLimits {
  /** The plan's least stake for each bet, whole u. */
  readonly minimumUnits: number;
  /** Balance and bonus money; null while they are not known: the server decides then. */
  readonly spendableMinor: number | null;
  /** How many bets the stake is placed on. */
  readonly bets: number;
}

/** The first thing wrong with a stake, in the order in which a player would mend it. */
export function stakeProblem(text: string, limits: StakeLimits): StakeProblem | null {
  if (limits.bets === 0) return "nothing_selected";
  if (text.trim() === "") return "empty";
  const units = wholeUnits(text);
  if (units === null) return "not_whole";
  if (units < Math.max(SMALLEST_UNITS, limits.minimumUnits)) return "too_small";
  const costMinor = minorFromUnits(units) * limits.bets;
  if (limits.spendableMinor !== null && costMinor > limits.spendableMinor) return "insufficient";
  return null;
}
