import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useSession } from "../lib/session.ts";
import { call } from "./client.ts";

const REFRESH_MS = 60_000;

const unreadKey = (token: string) => ["unread", token];

/** How many of the member's messages are unread; 0 until it is known, and for nobody. */
export function useUnread(): number {
  const token = useSession((session) => session.token);
  const { data } = useQuery({
    queryKey: unreadKey(token),
    queryFn: async ({ signal }) => (await call("user/messages", {}, { signal })).data.unread,
    enabled: token !== "",
    staleTime: REFRESH_MS / 2,
    refetchInterval: REFRESH_MS,
  });
  return token === "" ? 0 : (data ?? 0);
}

/** Takes over a count that another answer brought. */
export function noteUnread(queries: QueryClient, unread: number): void {
  queries.setQueryData(unreadKey(useSession.getState().token), unread);
}
