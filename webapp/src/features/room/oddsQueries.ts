import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { call } from "../../api/client.ts";
import { type OddsTable, oddsTable } from "./model/odds.ts";
import type { RoomId } from "./room.ts";

/** Odds no older than this are not asked for again on a press. */
const ODDS_FRESH_MS = 15_000;

const oddsKey = (room: RoomId) => ["room", "odds", room.gameId, room.planId];

function oddsQuery(room: RoomId) {
  return {
    queryKey: oddsKey(room),
    queryFn: async () => {
      const body = { plan_id: room.planId, game_id: room.gameId, id: room.planId };
      return (await call("Lottery/oddsList", body)).data;
    },
  };
}

/** Read anew with each round: a new table starts with one. */
export function useOdds(room: RoomId, issue: string | undefined) {
  const query = oddsQuery(room);
  return useQuery({ ...query, queryKey: [...query.queryKey, issue] });
}

/** The odds in force, for a press; from the last reading when that is fresh. */
export function useOddsNow(room: RoomId, issue: string | undefined): () => Promise<OddsTable> {
  const queries = useQueryClient();
  return useCallback(async () => {
    const query = oddsQuery(room);
    const queryKey = [...query.queryKey, issue];
    const options = { ...query, queryKey, staleTime: ODDS_FRESH_MS, retry: false };
    return oddsTable(await queries.fetchQuery(options));
  }, [queries, room, issue]);
}
