import { useTranslations } from "use-intl";
import { useHall } from "./hall.ts";
import type { RoomId } from "./room.ts";
import { phaseNow } from "./store.ts";
import { SHUT_TEXT } from "./words.ts";

/** Why nothing is bought in the hall now: between two rounds, or because it is shut. */
export function useClosedText(room: RoomId): () => string {
  const t = useTranslations("room");
  const { shut } = useHall(room);
  return () => t(phaseNow() === "game_closed" ? SHUT_TEXT[shut] : "closedToast");
}
