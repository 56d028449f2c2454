/** Whether one may go into a hall: `unknown` while the balance is not known and it matters. */
export type Entry = "open" | "too_poor" | "unknown";

/** Both in u. */
export function entryTo(joinLimit: number, money: number | null): Entry {
  if (joinLimit === 0) return "open";
  if (money === null) return "unknown";
  return money < joinLimit ? "too_poor" : "open";
}
