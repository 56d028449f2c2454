import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useRest } from "../api/protection.ts";
import { formatMoment } from "../lib/dates.ts";
import styles from "./BreakNotice.module.css";
import { Icon } from "./Icon.tsx";

/** Why bets and deposits rest and until when, in words; null when they do not. */
export function useBreakText(): string | null {
  const t = useTranslations("breaks");
  const locale = useLocale();
  const rest = useRest();
  if (rest === null) return null;
  if (rest.reason === "closed") return t("closed");
  if (rest.until === null) return t("forGood");
  const time = formatMoment(rest.until, locale);
  return rest.reason === "time_out" ? t("timeOut", { time }) : t("excluded", { time });
}

/** Stands wherever one would bet or deposit, while neither is possible; money can always leave. */
export function BreakNotice() {
  const t = useTranslations("breaks");
  const text = useBreakText();
  if (text === null) return null;
  return (
    <section className={styles.notice} aria-label={t("title")} data-testid="break-notice">
      <Icon name="lock" size={18} />
      <span>{text}</span>
      <Link to="/withdraw">{t("withdraw")}</Link>
    </section>
  );
}
