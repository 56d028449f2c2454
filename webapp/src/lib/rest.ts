import type { Protection } from "../api/types.ts";

/** Why bets and deposits rest, and until when; `null` is for good. Seconds since the epoch. */
export interface Rest {
  reason: "time_out" | "excluded" | "closed";
  until: number | null;
}

type Standing = Pick<
  Protection,
  "time_out_until" | "excluded_until" | "excluded_for_good" | "closed"
>;

/** The rest that holds now, the longest of several; null when bets are open. */
export function restOf(standing: Standing, nowSeconds: number): Rest | null {
  const { time_out_until, excluded_until, excluded_for_good, closed } = standing;
  if (excluded_for_good) return { reason: "excluded", until: null };
  if (closed) return { reason: "closed", until: null };
  const until = Math.max(time_out_until, excluded_until);
  if (until <= nowSeconds) return null;
  return { reason: excluded_until >= time_out_until ? "excluded" : "time_out", until };
}
