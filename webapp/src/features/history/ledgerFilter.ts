import type { LedgerType, Order } from "../../api/types.ts";
import { nearestDay } from "../../lib/dates.ts";

/** What a filter drawer holds; empty dates mean today. */
export interface Filter {
  begin: string;
  end: string;
  /** Index in the list's types, of which the first is all. */
  type: number;
}

export const emptyFilter = (): Filter => ({ begin: "", end: "", type: 0 });

/** The wire's dates. A reversed range is swapped. */
export function datesOf(filter: Filter): { begin_date: string; end_date: string } {
  const [begin, end] = [nearestDay(filter.begin), nearestDay(filter.end)].sort();
  return { begin_date: begin ?? "", end_date: end ?? "" };
}

/** The results of bets to choose from, in the order that the drawer has them. */
export const RESULTS = ["lost", "won", "pending", "voided", "recalled"] as const;

const RESULT_FILTERS = [
  {},
  { status: 1, whether_hit: 0 },
  { status: 1, whether_hit: 1 },
  { status: 0 },
  { status: 3 },
  { status: 2 },
] as const;

type ResultFilter = { status?: Order["status"]; whether_hit?: Order["whether_hit"] };

/** The query of the chosen result; empty for "all". */
export const resultOf = (filter: Filter): ResultFilter => RESULT_FILTERS[filter.type] ?? {};

/** The ledger's type is the choice's index less one; "all" sends none. */
export function typeOf(filter: Filter): { type?: LedgerType } {
  const type = filter.type - 1;
  return type === 0 || type === 1 || type === 2 || type === 3 || type === 4 ? { type } : {};
}
