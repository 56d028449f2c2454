import { QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { noteLines } from "../lib/lines.ts";
import { isOfThisMember, readBalance, useSession } from "../lib/session.ts";
import { keepZone } from "../lib/zone.ts";
import { call } from "./client.ts";
import type { AppConfig, Profile } from "./types.ts";

/** Retrying is the client's business. While a query reloads, this member's last data is shown. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        networkMode: "always",
        refetchOnReconnect: "always",
        staleTime: 5_000,
        placeholderData: (previous: unknown, query?: { state: { dataUpdatedAt: number } }) =>
          query && isOfThisMember(query.state.dataUpdatedAt) ? previous : undefined,
      },
    },
  });
}

async function readConfig(signal: AbortSignal): Promise<AppConfig> {
  const { data } = await call("index/index", {}, { signal });
  keepZone(data.timezone);
  noteLines(data.lines);
  return data;
}

const configured = queryOptions({
  queryKey: ["config"],
  queryFn: ({ signal }) => readConfig(signal),
  staleTime: 5 * 60_000,
});

/** Asks for what every page shows some of, before there is a page. */
export function askAhead(queries: QueryClient): void {
  void queries.prefetchQuery(configured);
}

/** What the operator configured; undefined until it is known. Times follow its zone. */
export function useConfig(): AppConfig | undefined {
  return useQuery(configured).data;
}

async function readProfile(signal: AbortSignal): Promise<Profile> {
  const { data } = await call("user/userInfo", {}, { signal });
  readBalance({ money: data.money, version: data.version, score: data.score });
  useSession.setState({
    group_id: data.group_id,
    idcard: data.idcard ?? "",
    username: data.username,
  });
  return data;
}

/** The member's profile; the balance of the session follows it. */
export function useProfile() {
  const token = useSession((session) => session.token);
  return useQuery({
    queryKey: ["profile", token],
    queryFn: ({ signal }) => readProfile(signal),
    enabled: token !== "",
  });
}
