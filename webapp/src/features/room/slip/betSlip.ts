import { type BetKind, SUMS, winsOn } from "../../../lib/betKinds.ts";
import { minorFromUnits, wholeUnits } from "../../../lib/minorUnits.ts";

/** The cost and the possible results of a slip, over the 28 sums. */

export interface SlipBet {
  readonly kind: BetKind;
  readonly oddsMilli: number;
  readonly stakeMinor: number;
}

export interface BestAndWorst {
  readonly costMinor: number;
  /** Payout less cost at the luckiest sum; below zero when no sum pays the cost back. */
  readonly bestMinor: number;
  /**
   * Payout less cost at the unluckiest sum; above zero only if every sum pays more than the cost.
   */
  readonly worstMinor: number;
}

/** Gross payout, rounded down to a minor unit as the server rounds it. */
export function payoutMinor(stakeMinor: number, oddsMilli: number): number {
  const thousandths = stakeMinor * oddsMilli;
  return (thousandths - (thousandths % 1000)) / 1000;
}

function payoutOn(lines: readonly SlipBet[], sum: number): number {
  return lines
    .filter((line) => winsOn(line.kind, sum))
    .reduce((total, line) => total + payoutMinor(line.stakeMinor, line.oddsMilli), 0);
}

/** Best and worst are taken sum by sum: bets that exclude each other do not add up. */
export function bestAndWorst(lines: readonly SlipBet[]): BestAndWorst {
  const costMinor = lines.reduce((total, line) => total + line.stakeMinor, 0);
  const nets = SUMS.map((sum) => payoutOn(lines, sum) - costMinor);
  return { costMinor, bestMinor: Math.max(...nets), worstMinor: Math.min(...nets) };
}

/** The amount field: quick amounts and what makes a stake unacceptable. */

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

/** The first problem of a stake, in the order in which a player would correct them. */
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
