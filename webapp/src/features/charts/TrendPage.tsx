import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { useConfig } from "../../api/commonQueries.ts";
import type { Trend } from "../../api/types.ts";
import { DayField } from "../../components/Field.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { useBetName, useGameName } from "../../i18n/names.ts";
import { HALVES } from "../../lib/betKinds.ts";
import { formatMinute, nearestDay } from "../../lib/dates.ts";
import styles from "./TrendPage.module.css";

const GAMES = [1, 2, 3, 4];
const AGAIN_MS = 10_000;

/** A draw day of a game, the newest where `date` is empty; polled while the page is visible. */
function useTrend(game_id: number, date: string) {
  return useQuery({
    queryKey: ["trend", game_id, date],
    queryFn: async ({ signal }): Promise<Trend> =>
      (await call("Lottery/trend", { game_id, ...(date && { date }) }, { signal })).data,
    refetchInterval: AGAIN_MS,
  });
}

/** /trendChart?game_id=&name=&status= (unused): a day's draws, what each hit, what was missing. */
export default function TrendPage() {
  const t = useTranslations("charts");
  const [query, setQuery] = useSearchParams();
  const [switching, setSwitching] = useState(false);
  const gameName = useGameName();
  const asked = Number(query.get("game_id"));
  const game = GAMES.includes(asked) ? asked : 1;
  const name = gameName(game, query.get("name") ?? "");
  const choose = (id: number) => {
    query.set("game_id", String(id));
    query.set("name", gameName(id, ""));
    setQuery(query, { replace: true });
    setSwitching(false);
  };
  const title = (
    <button type="button" className={styles.title} onClick={() => setSwitching(true)}>
      <span>{t("trendOf", { game: name })}</span>
      <Icon name="down" size={18} />
    </button>
  );
  return (
    <Page body="fixed" top={<TopBar title={title} />}>
      <Day key={game} game={game} />
      <Sheet open={switching} onClose={() => setSwitching(false)} title={t("chooseGame")}>
        <ul className={styles.games}>
          {GAMES.map((id) => (
            <li key={id}>
              <button type="button" aria-pressed={id === game} onClick={() => choose(id)}>
                {gameName(id, "")}
                {id === game && <Icon name="check" size={20} />}
              </button>
            </li>
          ))}
        </ul>
      </Sheet>
    </Page>
  );
}

/** The newest draw day until another is chosen. */
function Day({ game }: { game: number }) {
  const t = useTranslations("charts");
  const [date, setDate] = useState("");
  const nearest = date && nearestDay(date);
  const trend = useTrend(game, nearest);
  const rounds = useConfig()?.rounds;
  return (
    <div className={styles.day}>
      <div className={styles.head}>
        <DayField
          label={t("day")}
          hint={rounds && t("dayHint", { opens: formatMinute(rounds.opens) })}
          value={date || (trend.data?.date ?? "")}
          onChange={(event) => setDate(event.target.value)}
          onBlur={() => setDate(nearest)}
        />
        <p>{t("noMemory")}</p>
      </div>
      <Draws trend={trend} />
    </div>
  );
}

function Draws({ trend }: { trend: ReturnType<typeof useTrend> }) {
  const { error, refetch } = trend;
  // Another day's rows must not show under this day's date.
  const data = trend.isPlaceholderData ? undefined : trend.data;
  const t = useTranslations("charts");
  const common = useTranslations("common");
  const failure = useErrorText();
  if (data !== undefined && data.draws.length > 0) return <TrendTable trend={data} />;
  if (data !== undefined) return <EmptyState icon="chart" text={t("noDrawsThatDay")} />;
  if (!error) return <Skeleton />;
  return (
    <EmptyState
      icon="alert"
      text={failure(error)}
      action={common("reload")}
      onAction={() => refetch()}
    />
  );
}

/** The combinations in the order of the specification's chart. */
const COLUMNS = [...HALVES, "big_odd", "small_odd", "big_even", "small_even"] as const;

/** A row a draw: a mark where a kind was hit, else for how many draws it has been missing. */
function TrendTable({ trend }: { trend: Trend }) {
  const t = useTranslations("charts");
  const common = useTranslations("common");
  const kindName = useBetName();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too.
    <section className={styles.scroller} tabIndex={0} aria-label={t("trendLabel")}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t("issue")}</th>
            <th scope="col">{common("sum")}</th>
            {COLUMNS.map((kind) => (
              <th key={kind} scope="col">
                {kindName(kind)}
              </th>
            ))}
          </tr>
          <tr className={styles.missing} data-testid="trend-missing">
            <th scope="row" colSpan={2}>
              {t("missingNow")}
            </th>
            {COLUMNS.map((kind) => (
              <td key={kind}>{trend.current[kind]}</td>
            ))}
          </tr>
        </thead>
        <tbody>
          {trend.draws.map((draw) => (
            <tr key={draw.issue_code} data-testid="trend-row" data-issue={draw.issue_code}>
              <th scope="row">{draw.issue_code}</th>
              <td className={styles.sum}>{draw.code}</td>
              {COLUMNS.map((kind) => (
                <td key={kind} data-kind={kind}>
                  {draw.marks.includes(kind) ? (
                    <Mark name={kindName(kind)} />
                  ) : (
                    draw.omissions[kind]
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A hit: its shape says so as well as its colour. */
function Mark({ name }: { name: string }) {
  const t = useTranslations("charts");
  return (
    <span className={styles.mark}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d="M2 6.5l3 3 5-6.5" fill="none" stroke="currentColor" strokeWidth="2" />
      </svg>
      <span className="visually-hidden">{t("hit", { kind: name })}</span>
    </span>
  );
}
