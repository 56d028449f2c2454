import type { LedgerType } from "../../api/types.ts";
import { nearestDay } from "../../lib/dates.ts";

/** What a filter drawer holds; empty dates mean today. */
export interface Filter {
  begin: string;
  end: string;
  /** Index in the list all, deposit, withdraw, purchase, profit, gift. */
  type: number;
}

export const emptyFilter = (): Filter => ({ begin: "", end: "", type: 0 });

/** The wire's dates. A range put the wrong way round is turned. */
export function datesOf(filter: Filter): { begin_date: string; end_date: string } {
  const [begin, end] = [nearestDay(filter.begin), nearestDay(filter.end)].sort();
  return { begin_date: begin ?? "", end_date: end ?? "" };
}

/** The ledger's type is the choice's index less one; "all" sends none. */
export function typeOf(filter: Filter): { type?: LedgerType } {
  const type = filter.type - 1;
  return type === 0 || type === 1 || type === 2 || type === 3 || type === 4 ? { type } : {};
}
