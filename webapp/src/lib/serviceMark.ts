import { create } from "zustand";

/** Where the conversation with customer service is kept for as long as the tab is open. */
export const SERVICE_KEY = "fairdraw.service";

/** Answers of customer service that came while its panel was closed. */
export const useServiceUnread = create<{ count: number }>()(() => ({ count: 0 }));

/** Whether a conversation began in this tab, also before a reload. */
export const hasConversation = (): boolean => sessionStorage.getItem(SERVICE_KEY) !== null;
