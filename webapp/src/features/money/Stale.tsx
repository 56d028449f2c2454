import { useTranslations } from "use-intl";
import { useFailureText } from "../../i18n/failure.ts";
import { formatClock } from "../../lib/clock.ts";
import styles from "./Money.module.css";

interface Read {
  data: unknown;
  error: unknown;
  dataUpdatedAt: number;
}

/** Says how old the figures are while newer ones cannot be had. */
export function Stale({ query }: { query: Read }) {
  const t = useTranslations("common");
  const failure = useFailureText();
  if (!query.error || query.data === undefined) return null;
  return (
    <p className={styles.stale} role="status">
      {failure(query.error)} {t("stale", { time: formatClock(query.dataUpdatedAt / 1000) })}
    </p>
  );
}
