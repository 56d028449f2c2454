import { useTranslations } from "use-intl";
import { useUnread } from "../api/commonQueries.ts";
import { useServiceUnread } from "../lib/serviceMark.ts";
import styles from "./Badge.module.css";

const MOST_SHOWN = 99;

/** A count of unread items; nothing for 0. */
export function Badge({ count, label }: { count: number; label: string }) {
  if (count === 0) return null;
  return (
    <span className={styles.badge}>
      <span aria-hidden="true">{count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}</span>
      <span className="visually-hidden">{label}</span>
    </span>
  );
}

interface Unread {
  count: number;
  label: string;
}

/** A count of unread messages, as a badge shows it. */
function useBadge(count: number): Unread {
  const t = useTranslations("home");
  return { count, label: t("unread", { count }) };
}

/** How many messages of the inbox are unread. */
export const useUnreadBadge = (): Unread => useBadge(useUnread());

/** How many answers of customer service are unread. */
export const useServiceBadge = (): Unread => useBadge(useServiceUnread(({ count }) => count));
