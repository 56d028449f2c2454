import { useTranslations } from "use-intl";
import { useFailureText } from "../../i18n/failure.ts";
import { formatClock } from "../../lib/clock.ts";
import styles from "./Aged.module.css";

/** Above what could not be read again: why, and of when it is. */
export function Aged({ error, readAt }: { error: unknown; readAt: number }) {
  const common = useTranslations("common");
  const failure = useFailureText();
  return (
    <p className={styles.aged} role="status">
      {failure(error)} {common("stale", { time: formatClock(readAt / 1_000) })}
    </p>
  );
}
