import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useFormatter, useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { useGames } from "../../api/commonQueries.ts";
import type { Candle } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { useBetNames, useGameName } from "../../i18n/names.ts";
import { HALVES, winsOn } from "../../lib/betKinds.ts";
import { CandleChart } from "./CandleChart.tsx";
import styles from "./CandlesPage.module.css";

const GAMES = [1, 2, 3, 4];
const AGAIN_MS = 10_000;

/** A game's last draws as candles, the oldest first; polled while the page is visible. */
function useCandles(game_id: number) {
  return useQuery({
    queryKey: ["candles", game_id],
    queryFn: async ({ signal }): Promise<Candle[]> =>
      (await call("Lottery/cand", { game_id }, { signal })).data.toReversed(),
    refetchInterval: AGAIN_MS,
  });
}

/** Candlesticks of each game's draws. */
export default function CandlesPage() {
  const t = useTranslations("charts");
  const [query, setQuery] = useSearchParams();
  const gameName = useGameName();
  const games = useGames().data;
  const asked = Number(query.get("game_id"));
  const chosen = GAMES.includes(asked) ? asked : 1;
  const nameOf = (id: number) => gameName(id, games?.find((game) => game.id === id)?.name ?? "");
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      <Tabs
        label={t("games")}
        tabs={GAMES.map((id) => ({ id, label: nameOf(id) }))}
        value={chosen}
        onChange={(id) => setQuery({ game_id: String(id) }, { replace: true })}
      />
      <Draws key={chosen} game={chosen} name={nameOf(chosen)} />
    </Page>
  );
}

function Draws({ game, name }: { game: number; name: string }) {
  const t = useTranslations("charts");
  const common = useTranslations("common");
  const failure = useErrorText();
  const { data, error, refetch } = useCandles(game);
  if (data === undefined) {
    return error ? (
      <EmptyState
        icon="alert"
        text={failure(error)}
        action={common("reload")}
        onAction={() => refetch()}
      />
    ) : (
      <Skeleton />
    );
  }
  if (data.length === 0) return <EmptyState icon="chart" text={t("noDraws")} />;
  return (
    <>
      <CandleChart candles={data} />
      <Legend candles={data} />
      <Table candles={data} />
      <Link
        className={styles.trend}
        to={`/trendChart?${new URLSearchParams({ game_id: String(game), name })}`}
      >
        {t("toTrend")}
      </Link>
    </>
  );
}

type LegendKind = (typeof HALVES)[number];

/** Whole percents of the draws that were long (14 to 27) or short, single or double. */
export function shares(candles: readonly Candle[]): Record<LegendKind, number> {
  const share = (hits: (sum: number) => boolean) =>
    Math.round((100 * candles.filter((candle) => hits(candle.cand_code)).length) / candles.length);
  const all = candles.length && 100;
  const big = all && share((sum) => winsOn("big", sum));
  const odd = all && share((sum) => winsOn("odd", sum));
  return { big, small: all - big, odd, even: all - odd };
}

/** Long, short, single and double: what each means, and how often it came in these draws. */
function Legend({ candles }: { candles: readonly Candle[] }) {
  const t = useTranslations("charts");
  const words = useBetNames();
  const format = useFormatter();
  const percents = shares(candles);
  const share = (kind: LegendKind) => format.number(percents[kind] / 100, { style: "percent" });
  return (
    <Card className={styles.legend}>
      <h2>{t("legend")}</h2>
      <dl>
        {HALVES.map((kind) => (
          <div key={kind}>
            <dt>{words(kind).name}</dt>
            <dd>
              {t(`means.${kind}`)}
              <b>{t("share", { percent: share(kind) })}</b>
            </dd>
          </div>
        ))}
      </dl>
      <p>{t("noMemory")}</p>
    </Card>
  );
}

/** The same as a table, for screen readers and text. */
function Table({ candles }: { candles: readonly Candle[] }) {
  const t = useTranslations("charts");
  const common = useTranslations("common");
  const [open, setOpen] = useState(false);
  const rows = candles.slice(-TABLE_ROWS).reverse();
  return (
    <>
      <Button full aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t("hideTable") : t("showTable")}
      </Button>
      {open && (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t("issue")}</th>
              <th scope="col">{common("sum")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((candle) => (
              <tr key={candle.issue}>
                <td>{candle.issue}</td>
                <td>{candle.cand_code}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

const TABLE_ROWS = 50;
