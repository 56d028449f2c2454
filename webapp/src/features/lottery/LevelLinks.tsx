import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { Tier } from "../../api/types.ts";
import styles from "./LevelLinks.module.css";

/** The room list of each level, which has a route of its own. */
const PATHS = ["/lottery?id=0&", "/lotterytwo?", "/lotterythree?"] as const;
const LEVELS = [0, 1, 2] as const;

interface LevelLinksProps {
  level: Tier;
  /** The game whose tab stays chosen. */
  game: number;
}

/** Switches between the room lists of the three levels. */
export function LevelLinks({ level, game }: LevelLinksProps) {
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
