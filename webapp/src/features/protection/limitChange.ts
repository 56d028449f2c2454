import type { Limit } from "../../api/types.ts";

export const SUBJECTS = ["deposit", "loss"] as const;
export const SPANS = ["day", "week", "month"] as const;
export type Subject = (typeof SUBJECTS)[number];
export type Span = (typeof SPANS)[number];

/** A limit of a kind that this page knows. */
export interface KnownLimit extends Limit {
  subject: Subject;
  span: Span;
}

const MOST = 1_000_000_000;
const TYPED = /^\d{1,10}(?:[.,]\d{1,2})?$/;

/** What was typed as a limit in u; null where it is not an amount that the server takes. */
export function parseLimit(typed: string): number | null {
  const text = typed.trim();
  if (!TYPED.test(text)) return null;
  const amount = Number(text.replace(",", "."));
  return amount <= MOST ? amount : null;
}

/** Whether a new limit, null for none, takes effect immediately: only a stricter one does. */
export function holdsAtOnce(now: number | null, next: number | null): boolean {
  if (now === next) return true;
  return next !== null && (now === null || next < now);
}

/** What counts against a limit: a day of wins uses nothing of it. */
export function usedOf(limit: Pick<Limit, "used">): number {
  return Math.max(0, limit.used);
}

/** How full the limit is, 0 to 1; a limit of 0 is full from the start. */
export function fullness({ used, amount }: Pick<Limit, "used" | "amount">): number {
  if (amount === null) return 0;
  return amount === 0 ? 1 : Math.min(1, usedOf({ used }) / amount);
}

/** The limits of one subject, day before week before month. */
export function limitsOf(limits: readonly Limit[], subject: Subject): KnownLimit[] {
  return SPANS.flatMap((span) => {
    const found = limits.find((limit) => limit.subject === subject && limit.span === span);
    return found === undefined ? [] : [{ ...found, subject, span }];
  });
}
