import { useQuery } from "@tanstack/react-query";
import { type Rest, restOf } from "../lib/rest.ts";
import { useSession } from "../lib/session.ts";
import { call } from "./client.ts";

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
export function useRest(): Rest | null {
  const { data } = useProtection();
  return data === undefined ? null : restOf(data, Date.now() / 1000);
}
