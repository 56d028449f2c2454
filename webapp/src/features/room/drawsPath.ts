import { useGameName } from "../../i18n/names.ts";
import type { RoomAddress } from "./room.ts";

/** The address of the game's draw results, or of the proof of one of them. */
export function useDrawsPath(room: RoomAddress): (issue?: string) => string {
  const name = useGameName()(room.gameId, room.name);
  const about = { id: String(room.planId), game_id: String(room.gameId), name };
  return (issue) => {
    const query = new URLSearchParams(issue === undefined ? about : { ...about, issue });
    return `/lotteryDetail?${query}`;
  };
}
