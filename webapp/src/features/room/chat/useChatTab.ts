import { useTranslations } from "use-intl";
import { useChat } from "./store.ts";

const MOST_COUNTED = 99;

/** The chat's tab, with how much was said meanwhile. */
export function useChatTab(): string {
  const t = useTranslations("chat");
  const unread = useChat((chat) => chat.unread.size);
  if (unread === 0) return t("title");
  return t("tabCount", { count: unread > MOST_COUNTED ? `${MOST_COUNTED}+` : String(unread) });
}
