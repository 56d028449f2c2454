import { useTranslations } from "use-intl";
import { type ClosedReason, closedReason } from "./phase.ts";
import { useHalls } from "./queries.ts";
import type { RoomId } from "./roomAddress.ts";
import { phaseNow, useRoom } from "./roomStore.ts";
import { CLOSED_TEXT } from "./useFormatters.ts";

interface Hall {
  /** The least stake in whole u. */
  minimumUnits: number;
  /** The minimum balance to enter, in u; undefined until it is known. */
  joinLimit: number | undefined;
  shut: ClosedReason;
}

/** The hall's limits, and why it is closed. */
export function useHall(room: RoomId): Hall {
  const game_status = useRoom(({ heart }) => heart?.game_status);
  const runs = useRoom(({ heart }) => heart?.issue !== null);
  const games = useHalls(room, game_status);
  const hall = games.flatMap((game) => game.planList).find((plan) => plan.id === room.planId);
  const closedDuringRound = game_status === 0 && runs;
  return {
    minimumUnits: hall?.min_limit ?? 1,
    joinLimit: hall?.join_limit,
    shut: closedReason(closedDuringRound, games, room.planId),
  };
}

/** The message of why no bet can be placed in the hall now. */
export function useClosedText(room: RoomId): () => string {
  const t = useTranslations("room");
  const { shut } = useHall(room);
  return () => t(phaseNow() === "game_closed" ? CLOSED_TEXT[shut] : "closedToast");
}
