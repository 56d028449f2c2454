import { useTranslations } from "use-intl";
import type { Protection } from "../../api/types.ts";
import { formatTime } from "../../lib/dates.ts";
import styles from "./Money.module.css";

/** Until when no deposit is taken, in seconds; "good" without an end, null when they are. */
export function shutUntil(protection: Protection): number | "good" | null {
  if (protection.closed || protection.excluded_for_good) return "good";
  const until = Math.max(protection.excluded_until, protection.time_out_until);
  return until > 0 ? until : null;
}

/** Why no deposit is taken: a break of the member's own, or a closed account. */
export function Shut({ protection }: { protection: Protection }) {
  const t = useTranslations("money.shut");
  const until = shutUntil(protection);
  if (until === null) return null;
  if (protection.closed) return <p className={styles.warning}>{t("closed")}</p>;
  return (
    <p className={styles.warning}>
      {until === "good" ? t("forGood") : t("until", { time: formatTime(until) })}
    </p>
  );
}
