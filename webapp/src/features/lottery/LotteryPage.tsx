import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { useGames } from "../../api/commonQueries.ts";
import type { Game, Tier } from "../../api/types.ts";
import { IconButton } from "../../components/Button.tsx";
import { Discontinued } from "../../components/Discontinued.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { SwipeTabs } from "../../components/Tabs.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { useGameName } from "../../i18n/names.ts";
import { HallList } from "./HallList.tsx";
import styles from "./LotteryPage.module.css";
import { Rules } from "./Rules.tsx";

const FIRST_GAME = 1;

function vipOf(text: string | null): Tier {
  if (text === "1") return 1;
  return text === "2" ? 2 : 0;
}

/** Halls of one level, a tab per game. /lottery reads the level from its query. */
export default function LotteryPage({ vip }: { vip?: Tier }) {
  const t = useTranslations("lottery");
  const common = useTranslations("common");
  const failure = useErrorText();
  const [query, setQuery] = useSearchParams();
  const [rules, setRules] = useState(false);
  const games = useGames();
  const level = vip ?? vipOf(query.get("id"));
  const chosen = Number(query.get("game_id") ?? FIRST_GAME);
  const choose = (id: number) => {
    query.set("game_id", String(id));
    setQuery(query, { replace: true });
  };
  return (
    <Page
      body="fixed"
      className={styles.page}
      top={
        <TopBar
          title={t("title", { level: level + 1 })}
          right={<IconButton icon="book" label={t("rules")} onClick={() => setRules(true)} />}
        />
      }
    >
      <LevelLinks level={level} game={chosen} />
      {games.isPending && (
        <div className={styles.panel}>
          <Skeleton />
        </div>
      )}
      {games.error && !games.data && (
        <EmptyState
          icon="alert"
          text={failure(games.error)}
          action={common("reload")}
          onAction={() => games.refetch()}
        />
      )}
      <div className={styles.over}>
        <Discontinued />
      </div>
      {games.data && (
        <GameTabs games={games.data} level={level} chosen={chosen} onChoose={choose} />
      )}
      <Sheet side="right" open={rules} onClose={() => setRules(false)} title={t("rules")}>
        <Rules plan={games.data?.find((game) => game.id === chosen)?.planList[3 * level]} />
      </Sheet>
    </Page>
  );
}

interface GameTabsProps {
  games: Game[];
  level: Tier;
  chosen: number;
  onChoose: (id: number) => void;
}

function GameTabs({ games, level, chosen, onChoose }: GameTabsProps) {
  const t = useTranslations("lottery");
  const gameName = useGameName();
  return (
    <SwipeTabs
      label={t("games")}
      tabs={games.map((game) => ({ id: game.id, label: gameName(game.id, game.name) }))}
      value={games.some((game) => game.id === chosen) ? chosen : FIRST_GAME}
      onChange={onChoose}
      panel={(id) => {
        const game = games.find((candidate) => candidate.id === id);
        return game && <HallList className={styles.panel} game={game} level={level} />;
      }}
    />
  );
}

/** The room list of each level, which has a route of its own. */
const PATHS = ["/lottery?id=0&", "/lotterytwo?", "/lotterythree?"] as const;
const LEVELS = [0, 1, 2] as const;

interface LevelLinksProps {
  level: Tier;
  /** The game whose tab stays chosen. */
  game: number;
}

/** Switches between the room lists of the three levels. */
function LevelLinks({ level, game }: LevelLinksProps) {
  const t = useTranslations();
  return (
    <nav className={styles.levels} aria-label={t("lottery.levels")}>
      {LEVELS.map((each) => (
        <Link
          key={each}
          to={`${PATHS[each]}game_id=${game}`}
          replace
          aria-current={each === level ? "page" : undefined}
        >
          {t("home.hall", { level: String(each + 1) })}
        </Link>
      ))}
    </nav>
  );
}
