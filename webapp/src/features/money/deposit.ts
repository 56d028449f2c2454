import type { Recharge } from "../../api/types.ts";
import { minorFromWire } from "../../lib/minorUnits.ts";
import { typedMinor, unitsOf } from "./typedAmount.ts";

/** The ways to pay in, in the order in which they are offered. */
export const WAYS = ["bank", "usdt", "online"] as const;
export type Way = (typeof WAYS)[number];

/** Those of them that the server takes. */
export function waysOf(recharge: Recharge): Way[] {
  return WAYS.filter((way) => recharge.channels.includes(way));
}

export interface DepositForm {
  amount: string;
  /** What the transfer says; an online payment has its order's number instead. */
  reference: string;
}

export type DepositProblem = "amountMissing" | "amountWrong" | "aboveLimit" | "referenceMissing";

/** The errors of a deposit notice by field; empty when it may be sent. */
export function depositProblems(
  form: DepositForm,
  way: Way,
  room: number | null,
): { amount?: DepositProblem; reference?: DepositProblem } {
  const amount = amountProblem(form.amount, room);
  const isNamed = way === "online" || form.reference.trim() !== "";
  return {
    ...(amount && { amount }),
    ...(!isNamed && { reference: "referenceMissing" as const }),
  };
}

function amountProblem(typed: string, room: number | null): DepositProblem | null {
  if (typed.trim() === "") return "amountMissing";
  const amount = typedMinor(typed);
  if (amount === null || amount === 0) return "amountWrong";
  return room !== null && amount > minorFromWire(room) ? "aboveLimit" : null;
}

/** The turnover due before a withdrawal once this deposit is credited: once its amount more. */
export function turnoverAfter(due: number, typed: string): number {
  return unitsOf(minorFromWire(due) + (typedMinor(typed) ?? 0));
}
