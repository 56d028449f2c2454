import { useTranslations } from "use-intl";
import { create } from "zustand";
import { useSession } from "../../../lib/session.ts";
import { type ChatState, newChat } from "./chatReducer.ts";

/** The chat of the hall that is on the screen. */
export const useChat = create<ChatState>()(() => newChat());

const OWN_KEY = "fairdraw.room.said";

interface StoredIds {
  user: string;
  ids: string[];
}

function storedIds(): StoredIds {
  const user = useSession.getState().userId;
  try {
    const stored: Partial<StoredIds> = JSON.parse(sessionStorage.getItem(OWN_KEY) ?? "{}");
    const ids = stored.user === user && Array.isArray(stored.ids) ? stored.ids : [];
    return { user, ids: ids.filter((id) => typeof id === "string") };
  } catch {
    return { user, ids: [] };
  }
}

export const changeChat = (change: (chat: ChatState) => ChatState): void =>
  useChat.setState((chat) => change(chat));

/** Starts the chat of a hall; the player's own message ids survive a reload. */
export const enterChat = (): void => useChat.setState(newChat(storedIds().ids), true);

/** The wire does not mark own messages, so their ids are stored here. */
export function saveOwnIds(): void {
  const { user } = storedIds();
  const ids = [...useChat.getState().own];
  sessionStorage.setItem(OWN_KEY, JSON.stringify({ user, ids } satisfies StoredIds));
}

const MOST_COUNTED = 99;

/** The label of the chat's tab, with the number of unread messages. */
export function useChatTab(): string {
  const t = useTranslations("chat");
  const unread = useChat((chat) => chat.unread.size);
  if (unread === 0) return t("title");
  return t("tabCount", { count: unread > MOST_COUNTED ? `${MOST_COUNTED}+` : String(unread) });
}
