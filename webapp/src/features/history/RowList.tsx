import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { Envelope } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { PullToRefresh } from "../../components/PullToRefresh.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { formatClock } from "../../lib/dates.ts";
import styles from "./RowList.module.css";

interface RowListProps<Row> {
  pages: Pages<Row>;
  empty: string;
  /** Content above the rows, such as their period. */
  head?: ReactNode;
  row: (row: Row) => ReactNode;
}

/** Rows with pull to refresh, an empty notice with reload, more on demand, and an end. */
export function RowList<Row>({ pages, empty, head, row }: RowListProps<Row>) {
  const t = useTranslations("history");
  const common = useTranslations("common");
  const failure = useErrorText();
  const { rows } = pages;
  const none = pages.error && !rows ? failure(pages.error) : rows?.length === 0 && empty;
  return (
    <PullToRefresh onRefresh={pages.refetch}>
      {head}
      {pages.error && rows && (
        <p className={styles.stale} role="status">
          {failure(pages.error)}{" "}
          {common("stale", { time: formatClock(pages.dataUpdatedAt / 1000) })}
        </p>
      )}
      {pages.isPending && <Skeleton />}
      {none && (
        <EmptyState
          text={none}
          icon={pages.error ? "alert" : "inbox"}
          action={common("reload")}
          onAction={() => pages.refetch()}
        />
      )}
      <ul className={styles.rows} aria-busy={pages.isFetching} data-old={pages.isPlaceholderData}>
        {rows?.map(row)}
      </ul>
      {pages.hasNextPage && (
        <Button full busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
          {t("more")}
        </Button>
      )}
      {rows && rows.length > 0 && !pages.hasNextPage && <p className={styles.end}>{t("theEnd")}</p>}
    </PullToRefresh>
  );
}

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

type Pages<Row> = ReturnType<typeof usePages<Row>>;
