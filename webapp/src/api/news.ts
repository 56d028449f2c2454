import { useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";
import type { News } from "./types.ts";

export const NEWS_KEY = ["news"] as const;
export const NEWS_FRESH_MS = 60_000;

/** The news, whole: the list holds all that an article's own page shows. */
export function useNews() {
  return useQuery({
    queryKey: NEWS_KEY,
    queryFn: async ({ signal }): Promise<News> =>
      (await call("index/articleList", {}, { signal })).data,
    staleTime: NEWS_FRESH_MS,
  });
}
