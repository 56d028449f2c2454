import { useTranslations } from "use-intl";
import styles from "./BotMark.module.css";

/** Marks a bet that the house's own bot placed. */
export function BotMark() {
  const t = useTranslations("room");
  return (
    <span className={styles.bot} title={t("botHint")} data-testid="bot">
      {t("bot")}
    </span>
  );
}
