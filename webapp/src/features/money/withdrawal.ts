import type { PayoutType, WithdrawInfo } from "../../api/types.ts";
import { minorFromWire } from "../../lib/minorUnits.ts";
import { typedMinor } from "./typedAmount.ts";

/** What the server said, and when, in whole seconds since 1970. */
export interface WithdrawSnapshot {
  info: WithdrawInfo;
  asOf: number;
}

/** The first failed check of a submit, in the specification's order. */
export type Blocker =
  | "baseInfo"
  | "account"
  | "code"
  | "amountMissing"
  | "amountWrong"
  | "tooSmall";

export function firstBlocker(standing: WithdrawSnapshot, typed: string): Blocker | null {
  const { info } = standing;
  if (!info.usercrud) return "baseInfo";
  if (!hasAccount(info)) return "account";
  if (!info.code_is_set) return "code";
  if (typed.trim() === "") return "amountMissing";
  const amount = typedMinor(typed);
  if (amount === null) return "amountWrong";
  const everything = info.leaving && amount > 0 && amount === ownMinor(standing);
  return amount < minorFromWire(info.minimum) && !everything ? "tooSmall" : null;
}

export function hasAccount(info: WithdrawInfo): boolean {
  return info.pay_list.some((account) => account.is_set);
}

/** The preselected account: the bank card where there is one. */
export function firstAccount(info: WithdrawInfo): PayoutType {
  return info.pay_list.find((account) => account.is_set)?.type ?? 0;
}

/** The reasons that block a withdrawal. */
export type Reason = "baseInfo" | "code" | "locked" | "cooling" | "quota" | "turnover" | "bonus";

export function reasons(standing: WithdrawSnapshot, method: PayoutType): Reason[] {
  const { info, asOf } = standing;
  const applies: [Reason, boolean][] = [
    ["baseInfo", !info.usercrud],
    ["code", !info.code_is_set],
    ["locked", info.code_locked],
    ["cooling", info.pay_list[method].usable_at > asOf],
    ["quota", info.quota !== null && !info.leaving],
    ["turnover", info.turnover.due > 0 && !info.leaving],
    ["bonus", info.bonus.money > 0 && freedMinor(standing) === 0],
  ];
  return applies.filter(([, does]) => does).map(([reason]) => reason);
}

/**
 * The amount that can be withdrawn now, in minor units; locked bonus money does not block the rest.
 */
export function withdrawableMinor(standing: WithdrawSnapshot, method: PayoutType): number {
  const shut = reasons(standing, method).some((reason) => reason !== "bonus");
  return shut ? 0 : ownMinor(standing);
}

/** The balance, with the bonus money that a withdrawal would release. */
function ownMinor(standing: WithdrawSnapshot): number {
  return minorFromWire(standing.info.money) + freedMinor(standing);
}

function freedMinor({ info, asOf }: WithdrawSnapshot): number {
  const isFree = info.bonus.due === 0 && info.bonus.usable_at <= asOf;
  return isFree ? minorFromWire(info.bonus.money) : 0;
}
