import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import type { Candle, Trend } from "../../api/types.ts";

const AGAIN_MS = 10_000;

/** A game's last draws as candles, the oldest first; polled while the page is visible. */
export function useCandles(game_id: number) {
  return useQuery({
    queryKey: ["candles", game_id],
    queryFn: async ({ signal }): Promise<Candle[]> =>
      (await call("Lottery/cand", { game_id }, { signal })).data.toReversed(),
    refetchInterval: AGAIN_MS,
  });
}

/** A draw day of a game, the newest where `date` is empty. */
export function useTrend(game_id: number, date: string) {
  return useQuery({
    queryKey: ["trend", game_id, date],
    queryFn: async ({ signal }): Promise<Trend> =>
      (await call("Lottery/trend", { game_id, ...(date && { date }) }, { signal })).data,
    refetchInterval: AGAIN_MS,
  });
}
