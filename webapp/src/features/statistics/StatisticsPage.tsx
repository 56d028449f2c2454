import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { useConfig } from "../../api/commonQueries.ts";
import type { GameStatistics, Statistics } from "../../api/types.ts";
import { PlayMoney } from "../../components/Amount.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { StaleNotice } from "../../components/StaleNotice.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { useGameName } from "../../i18n/names.ts";
import { DrawnNumbers } from "./DrawnNumbers.tsx";
import { Returns } from "./Returns.tsx";
import styles from "./StatisticsPage.module.css";

const ALL_GAMES = 0;
const AGAIN_MS = 30_000;
const SHOWS = ["shows1", "shows2"] as const;
const LIMITS = ["self", "next", "edge", "house"] as const;

/** All games' statistics; the server computes them again every ten seconds. */
function useStatistics() {
  return useQuery({
    queryKey: ["statistics"],
    queryFn: async ({ signal }): Promise<Statistics> =>
      (await call("Lottery/statistics", {}, { signal })).data,
    refetchInterval: AGAIN_MS,
  });
}

/** /statistics, for anyone: actual against theoretical returns, and tests of what was drawn. */
export default function StatisticsPage() {
  const t = useTranslations("statistics");
  const common = useTranslations("common");
  const query = useStatistics();
  return (
    <Page top={<TopBar title={t("title")} right={<PlayMoney show={useConfig()?.demo} />} />}>
      <div className={styles.statistics}>
        <p>{t("lead")}</p>
        <StaleNotice query={query} />
        <Figures query={query} />
        <Meaning />
        <p className={styles.chance}>{common("chance")}</p>
      </div>
    </Page>
  );
}

function Figures({ query: { data, error, refetch } }: { query: ReturnType<typeof useStatistics> }) {
  const common = useTranslations("common");
  const failure = useErrorText();
  if (data !== undefined) return <ByGame statistics={data} />;
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

function ByGame({ statistics: { games } }: { statistics: Statistics }) {
  const t = useTranslations("statistics");
  const gameName = useGameName();
  const [chosen, choose] = useState(ALL_GAMES);
  const shown = games.find((game) => game.game_id === chosen);
  if (games.every((game) => game.draws === 0)) return <EmptyState icon="chart" text={t("empty")} />;
  return (
    <>
      <Tabs
        label={t("games")}
        tabs={games.map(({ game_id: id }) => ({ id, label: gameName(id, t("allGames")) }))}
        value={chosen}
        onChange={choose}
      />
      {shown && <OfGame key={chosen} game={shown} />}
    </>
  );
}

function OfGame({ game }: { game: GameStatistics }) {
  return (
    <>
      <Returns game={game} />
      <DrawnNumbers game={game} />
    </>
  );
}

/** What the figures and the proofs show, and what they do not. */
function Meaning() {
  const t = useTranslations("statistics");
  return (
    <section>
      <h2>{t("shows")}</h2>
      {SHOWS.map((text) => (
        <p key={text}>{t(text)}</p>
      ))}
      <h2>{t("limits.title")}</h2>
      <ul className={styles.list}>
        {LIMITS.map((text) => (
          <li key={text}>{t(`limits.${text}`)}</li>
        ))}
      </ul>
    </section>
  );
}
