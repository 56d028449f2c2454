import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { call } from "../../api/client.ts";
import type { Draw, Game, Order } from "../../api/types.ts";
import { useSession } from "../../lib/session.ts";
import { latestDraws, withDraw } from "./draw/latestDraws.ts";
import type { RoomId } from "./roomAddress.ts";
import { roomTime } from "./roomStore.ts";

const DAY_MS = 86_400_000;
const UNSETTLED_MS = 2_000;

const drawsKey = (gameId: number) => ["room", "draws", gameId];
const betsKey = (gameId: number, issue: string, userId: string) => [
  "room",
  "bets",
  gameId,
  issue,
  userId,
];

const NO_GAMES: readonly Game[] = [];

/** All games with their halls; read again when the room is opened or shut. */
export function useHalls(room: RoomId, gameStatus: number | undefined): readonly Game[] {
  const { data } = useQuery({
    queryKey: ["room", "halls", gameStatus],
    queryFn: async () => (await call("Lottery/index", { game_id: room.gameId })).data.gameList,
    enabled: gameStatus !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? NO_GAMES;
}

const NO_DRAWS: readonly Draw[] = [];

/**
 * The latest draws, newest first, including `last`. Fetched once: a new draw is put in
 * front. Returning to the page fetches them again, because draws may have been missed.
 */
export function useDraws(gameId: number, last: Draw | null): readonly Draw[] {
  const queries = useQueryClient();
  const { data = NO_DRAWS } = useQuery({
    queryKey: drawsKey(gameId),
    queryFn: async () => latestDraws((await call("Lottery/issueList", { game_id: gameId })).data),
    placeholderData: () => undefined,
  });
  const draws = useMemo(() => withDraw(data, last), [data, last]);
  useEffect(() => {
    // Also when a list arrives: it may have been read before the last draw.
    if (draws === data) return;
    const add = (known: readonly Draw[] | undefined) => known && withDraw(known, last);
    queries.setQueryData(drawsKey(gameId), add);
  }, [queries, gameId, data, draws, last]);
  return draws;
}

/** A current round belongs to this UTC day, the day before or the day after in any time zone. */
const dayInUtc = (at: number) => new Date(at).toISOString().slice(0, 10);

async function readBets(gameId: number, issue: string): Promise<Order[]> {
  const now = roomTime();
  const dates = { begin_date: dayInUtc(now - DAY_MS), end_date: dayInUtc(now + DAY_MS) };
  const body = { ...dates, game_id: gameId, issue_code: issue };
  return (await call("user/orderList", body)).data.filter((order) => order.issue === issue);
}

/**
 * The player's bets on one round, in every hall of the game. Once the round is drawn
 * they are read again until each is settled.
 */
export function useRoundBets(gameId: number, issue: string | undefined, drawn: boolean) {
  const userId = useSession((session) => session.userId);
  return useQuery({
    queryKey: betsKey(gameId, issue ?? "", userId),
    queryFn: () => readBets(gameId, issue ?? ""),
    enabled: issue !== undefined,
    placeholderData: () => undefined,
    refetchInterval: ({ state }) =>
      drawn && state.data?.some((order) => order.status === 0) ? UNSETTLED_MS : false,
  });
}

/** Long enough for several bets of one press to be read at once. */
const SETTLES_MS = 300;

/**
 * Fetches the bets again when the balance changes: after a bet on another device or a
 * settlement. Staff may have closed the account too, which the protection query shows.
 */
export function useRefetchBetsOnBalance(gameId: number): void {
  const queries = useQueryClient();
  const version = useSession((session) => session.balanceVersion);
  useEffect(() => {
    if (version < 0) return;
    const read = () => {
      void queries.invalidateQueries({ queryKey: ["room", "bets", gameId] });
      void queries.invalidateQueries({ queryKey: ["protection"] });
    };
    const timer = setTimeout(read, SETTLES_MS);
    return () => clearTimeout(timer);
  }, [queries, gameId, version]);
}

/** Reads the bets of every round and the profile again, after something moved. */
export function useRefresh(gameId: number): () => Promise<unknown> {
  const queries = useQueryClient();
  return useCallback(
    () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["room", "bets", gameId] }),
        queries.invalidateQueries({ queryKey: ["profile"] }),
      ]),
    [queries, gameId],
  );
}
