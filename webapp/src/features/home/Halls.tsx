import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useGames } from "../../api/games.ts";
import { formatUnits } from "../../lib/money.ts";
import { HallArt } from "./HallArt.tsx";
import styles from "./Halls.module.css";

const LEVELS = [0, 1, 2] as const;

/** The three entries, each with the balances that open its halls. */
export function Halls() {
  const t = useTranslations("home");
  const locale = useLocale();
  const plans = useGames().data?.[0]?.planList;
  const entry = (level: number) => {
    const limits = plans?.filter((plan) => plan.vip === level).map((plan) => plan.join_limit) ?? [];
    if (limits.length === 0) return null;
    return t("hallText", { amount: formatUnits(Math.max(...limits), locale) });
  };
  return (
    <nav className={styles.halls} aria-label={t("halls")}>
      {LEVELS.map((level) => (
        <Link key={level} to={`/lottery?id=${level}`} className={styles.hall}>
          <HallArt level={level} />
          <b>{t("hall", { level: String(level + 1) })}</b>
          <small>
            {t("hallEntry")}
            <span>{entry(level) ?? "\u00a0"}</span>
          </small>
        </Link>
      ))}
    </nav>
  );
}
