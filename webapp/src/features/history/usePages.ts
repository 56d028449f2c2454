import { useInfiniteQuery } from "@tanstack/react-query";
import type { Envelope } from "../../api/envelope.ts";

/** What a screen or two of rows take; the server makes up to 1,000. */
export const PAGE_ROWS = 50;

type Load<Row> = (cursor: string | undefined, signal: AbortSignal) => Promise<Envelope<Row[]>>;

/** A list that grows by its cursor. While it reloads, what was shown stays. */
export function usePages<Row>(key: readonly unknown[], load: Load<Row>) {
  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.more && last.cursor ? last.cursor : undefined),
  });
  return { ...pages, rows: pages.data?.pages.flatMap((page) => page.data) };
}

export type Pages<Row> = ReturnType<typeof usePages<Row>>;
