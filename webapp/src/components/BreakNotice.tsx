import { useEffect, useState } from "react";
import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useBettingBlock } from "../api/protection.ts";
import { formatTime } from "../lib/dates.ts";
import styles from "./BreakNotice.module.css";
import { Icon } from "./Icon.tsx";

/** Why bets and deposits rest and until when, in words; null when they do not. */
export function useBreakText(): string | null {
  const t = useTranslations("breaks");
  const rest = useBettingBlock();
  const time = useDateTimeText(rest?.until ?? null);
  if (rest === null) return null;
  if (rest.reason === "closed") return t("closed");
  if (rest.until === null) return t("forGood");
  return rest.reason === "time_out" ? t("timeOut", { time }) : t("excluded", { time });
}

/** A moment in the words of the language once these are there: no first load waits for them. */
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
  /** It stands where money leaves, and leads there no more. */
  here?: boolean;
}

/** Stands wherever one would bet or deposit, while neither is possible; money can always leave. */
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
