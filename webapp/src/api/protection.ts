import { useQuery } from "@tanstack/react-query";
import { useSession } from "../lib/session.ts";
import { call } from "./client.ts";
import type { Protection } from "./types.ts";

/** The member's limits, rests and progress; visitors have none of them. */
export function useProtection() {
  const token = useSession((session) => session.token);
  const isVisitor = useSession((session) => session.group_id === 2);
  return useQuery({
    queryKey: ["protection", token],
    queryFn: async ({ signal }) => (await call("user/protection", {}, { signal })).data,
    enabled: token !== "" && !isVisitor,
    staleTime: 30_000,
    // Not those of whoever was signed in before.
    placeholderData: () => undefined,
  });
}

/** Why bets and deposits rest at this moment; null when they do not, or it is not known yet. */
export function useBettingBlock(): BettingBlock | null {
  const { data } = useProtection();
  return data === undefined ? null : activeBlock(data, Date.now() / 1000);
}

/** Why bets and deposits rest, and until when; `null` is for good. Seconds since the epoch. */
interface BettingBlock {
  reason: "time_out" | "excluded" | "closed";
  until: number | null;
}

type Standing = Pick<
  Protection,
  "time_out_until" | "excluded_until" | "excluded_for_good" | "closed"
>;

/** The rest that holds now, the longest of several; null when bets are open. */
export function activeBlock(standing: Standing, nowSeconds: number): BettingBlock | null {
  const { time_out_until, excluded_until, excluded_for_good, closed } = standing;
  if (excluded_for_good) return { reason: "excluded", until: null };
  if (closed) return { reason: "closed", until: null };
  const until = Math.max(time_out_until, excluded_until);
  if (until <= nowSeconds) return null;
  return { reason: excluded_until >= time_out_until ? "excluded" : "time_out", until };
}
