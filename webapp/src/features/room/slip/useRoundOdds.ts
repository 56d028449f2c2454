import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { call } from "../../../api/client.ts";
import type { OddsItem, OddsList } from "../../../api/types.ts";
import type { BetKind } from "../../../lib/betKinds.ts";
import { milliFromWire } from "../../../lib/minorUnits.ts";
import type { RoomId } from "../roomAddress.ts";

/** Odds no older than this are not fetched again on a press. */
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

/** Read again with each round: a new table starts with one. */
export function useRoundOdds(room: RoomId, issue: string | undefined) {
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

/** The odds in force, read once into integers. */

export type OddsTable = ReadonlyMap<string, number>;

export function oddsTable(list: OddsList): OddsTable {
  const milli = (item: OddsItem): [string, number] => [item.class, milliFromWire(item.odds)];
  return new Map([...list.rule_base, ...list.rule_num].map(milli));
}

export interface OddsChange {
  readonly kind: BetKind;
  readonly wasMilli: number;
  readonly isMilli: number;
}

/** Selected bets whose odds changed; 0 for a bet no longer offered. */
export function oddsChanges(
  selected: ReadonlyMap<BetKind, number>,
  current: OddsTable,
): readonly OddsChange[] {
  return [...selected]
    .map(([kind, wasMilli]) => ({ kind, wasMilli, isMilli: current.get(kind) ?? 0 }))
    .filter((change) => change.wasMilli !== change.isMilli);
}
