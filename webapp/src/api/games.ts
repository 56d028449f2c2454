import { useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";
import type { Game, OddsList } from "./types.ts";

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
export function useOdds(plan_id: number, game_id: number) {
  return useQuery({
    queryKey: ["odds", plan_id, game_id],
    queryFn: async ({ signal }): Promise<OddsList> =>
      (await call("Lottery/oddsList", { plan_id, game_id, id: plan_id }, { signal })).data,
    staleTime: 60_000,
  });
}
