import { useTranslations } from "use-intl";
import { useUnread } from "../api/inbox.ts";
import { useServiceUnread } from "../lib/serviceMark.ts";

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
