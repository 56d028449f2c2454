import { useQuery } from "@tanstack/react-query";
import { useSession } from "../lib/session.ts";
import { call } from "./client.ts";
import type { Protection } from "./types.ts";

/** The player's limits, breaks and progress; visitors have none of them. */
export function useProtection() {
  const token = useSession((session) => session.token);
  const isVisitor = useSession((session) => session.group_id === 2);
  return useQuery({
    queryKey: ["protection", token],
    queryFn: async ({ signal }) => (await call("user/protection", {}, { signal })).data,
    enabled: token !== "" && !isVisitor,
    staleTime: 30_000,
    // Never the data of another player.
    placeholderData: () => undefined,
  });
}

/** Why betting and deposits are blocked now; null when they are not, or it is not known yet. */
export function useBettingBlock(): BettingBlock | null {
  const { data } = useProtection();
  return data === undefined ? null : activeBlock(data, Date.now() / 1000);
}

/**
 * Why betting and deposits are blocked, and until when: seconds since the epoch, `null` is
 * permanent.
 */
interface BettingBlock {
  reason: "time_out" | "excluded" | "closed";
  until: number | null;
}

type Standing = Pick<
  Protection,
  "time_out_until" | "excluded_until" | "excluded_for_good" | "closed"
>;

/** The block that applies now, the longest of several; null when betting is open. */
export function activeBlock(standing: Standing, nowSeconds: number): BettingBlock | null {
  const { time_out_until, excluded_until, excluded_for_good, closed } = standing;
  if (excluded_for_good) return { reason: "excluded", until: null };
  if (closed) return { reason: "closed", until: null };
  const until = Math.max(time_out_until, excluded_until);
  if (until <= nowSeconds) return null;
  return { reason: excluded_until >= time_out_until ? "excluded" : "time_out", until };
}
