import { useEffect, useState } from "react";
import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useBettingBlock } from "../api/protection.ts";
import { formatTime } from "../lib/dates.ts";
import styles from "./BreakNotice.module.css";
import { Icon } from "./Icon.tsx";

/** The text of the block on betting and deposits; null when there is none. */
export function useBreakText(): string | null {
  const t = useTranslations("breaks");
  const rest = useBettingBlock();
  const time = useDateTimeText(rest?.until ?? null);
  if (rest === null) return null;
  if (rest.reason === "closed") return t("closed");
  if (rest.until === null) return t("forGood");
  return rest.reason === "time_out" ? t("timeOut", { time }) : t("excluded", { time });
}

/**
 * A time in the page's language; as plain digits until the formatter is loaded, which is not in the
 * first load.
 */
function useDateTimeText(seconds: number | null): string {
  const locale = useLocale();
  const [write, setWrite] = useState<(seconds: number, locale: string) => string>(() => formatTime);
  useEffect(() => {
    if (seconds === null) return;
    import("../lib/formatDateTime.ts").then(
      ({ formatDateTime }) => setWrite(() => formatDateTime),
      () => undefined,
    );
  }, [seconds]);
  return seconds === null ? "" : write(seconds, locale);
}

interface BreakNoticeProps {
  /** The notice is on the withdrawal page and needs no link to it. */
  here?: boolean;
}

/** Shown wherever one would bet or deposit while both are blocked; withdrawals stay possible. */
export function BreakNotice({ here }: BreakNoticeProps) {
  const t = useTranslations("breaks");
  const text = useBreakText();
  if (text === null) return null;
  return (
    <section className={styles.notice} aria-label={t("title")} data-testid="break-notice">
      <Icon name="lock" size={18} />
      <span>{text}</span>
      {!here && <Link to="/withdraw">{t("withdraw")}</Link>}
    </section>
  );
}
