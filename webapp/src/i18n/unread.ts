import { useTranslations } from "use-intl";
import { useUnread } from "../api/inbox.ts";

/** How many messages wait to be read, as a badge says it. */
export function useUnreadBadge(): { count: number; label: string } {
  const t = useTranslations("home");
  const count = useUnread();
  return { count, label: t("unread", { count }) };
}
