import { QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { setOperatorTimezone } from "../lib/dates.ts";
import { saveLines } from "../lib/lines.ts";
import { isOfCurrentPlayer, updateProfile, useSession } from "../lib/session.ts";
import { call } from "./client.ts";
import type { AppConfig, Game, News, OddsList, Profile } from "./types.ts";

/**
 * The API client retries, not the queries. While a query reloads, this player's last data is shown.
 */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        networkMode: "always",
        refetchOnReconnect: "always",
        staleTime: 5_000,
        placeholderData: (previous: unknown, query?: { state: { dataUpdatedAt: number } }) =>
          query && isOfCurrentPlayer(query.state.dataUpdatedAt) ? previous : undefined,
      },
    },
  });
}

async function readConfig(signal: AbortSignal): Promise<AppConfig> {
  const { data } = await call("index/index", {}, { signal });
  setOperatorTimezone(data.timezone);
  saveLines(data.lines);
  return data;
}

const configured = queryOptions({
  queryKey: ["config"],
  queryFn: ({ signal }) => readConfig(signal),
  staleTime: 5 * 60_000,
});

/** Prefetches what every page needs, before a page is rendered. */
export function prefetchCommon(queries: QueryClient): void {
  void queries.prefetchQuery(configured);
}

/** What the operator configured; undefined until it is known. Times follow its zone. */
export function useConfig(): AppConfig | undefined {
  return useQuery(configured).data;
}

async function readProfile(signal: AbortSignal): Promise<Profile> {
  const { data } = await call("user/userInfo", {}, { signal });
  updateProfile(data);
  return data;
}

/** The player's profile; the balance of the session follows it. */
export function useProfile() {
  const token = useSession((session) => session.token);
  return useQuery({
    queryKey: ["profile", token],
    queryFn: ({ signal }) => readProfile(signal),
    enabled: token !== "",
  });
}

/** All four games with their halls and last draws. */
export function useGames() {
  return useQuery({
    queryKey: ["games"],
    queryFn: async ({ signal }): Promise<Game[]> =>
      (await call("Lottery/index", { game_id: 1 }, { signal })).data.gameList,
    staleTime: 15_000,
  });
}

/** Odds and returns as one hall shows them. */
export function useHallOdds(plan_id: number, game_id: number) {
  return useQuery({
    queryKey: ["odds", plan_id, game_id],
    queryFn: async ({ signal }): Promise<OddsList> =>
      (await call("Lottery/oddsList", { plan_id, game_id, id: plan_id }, { signal })).data,
    staleTime: 60_000,
  });
}

export const NEWS_KEY = ["news"] as const;
export const NEWS_FRESH_MS = 60_000;

/** The news with the content of every article. */
export function useNews() {
  return useQuery({
    queryKey: NEWS_KEY,
    queryFn: async ({ signal }): Promise<News> =>
      (await call("index/articleList", {}, { signal })).data,
    staleTime: NEWS_FRESH_MS,
  });
}

const REFRESH_MS = 60_000;

const unreadKey = (token: string) => ["unread", token];

/** How many of the player's messages are unread; 0 until it is known, and without a login. */
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

/** Stores a count that another response contained. */
export function setUnread(queries: QueryClient, unread: number): void {
  queries.setQueryData(unreadKey(useSession.getState().token), unread);
}
