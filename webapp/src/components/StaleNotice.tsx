import { useTranslations } from "use-intl";
import { classes } from "../lib/classes.ts";
import { formatClock } from "../lib/dates.ts";
import styles from "./StaleNotice.module.css";
import { useErrorText } from "./useErrorText.ts";

interface StaleNoticeProps {
  query: { data: unknown; error: unknown; dataUpdatedAt: number };
  className?: string | undefined;
}

/** Says that data could not be refreshed, why, and when it was read. */
export function StaleNotice({ query, className }: StaleNoticeProps) {
  const t = useTranslations("common");
  const failure = useErrorText();
  if (!query.error || query.data === undefined) return null;
  return (
    <p className={classes(styles.stale, className)} role="status">
      {failure(query.error)} {t("stale", { time: formatClock(query.dataUpdatedAt / 1_000) })}
    </p>
  );
}
