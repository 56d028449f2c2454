import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { useGameName } from "../../i18n/names.ts";

export interface RoomId {
  readonly planId: number;
  readonly gameId: number;
}

export interface RoomAddress extends RoomId {
  /** The game's name and the hall's title as the room list wrote them. */
  readonly name: string;
  readonly title: string;
  readonly status: string;
}

const PLANS_PER_GAME = 9;
const GAMES = 4;

function wholeOr(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : otherwise;
}

const gameOf = (planId: number): number => Math.ceil(planId / PLANS_PER_GAME);

/** Where a room's address leads: a plan says its game, and a game alone means its first hall. */
export function readAddress(query: URLSearchParams): RoomAddress {
  const firstOf = (gameId: number) => (gameId - 1) * PLANS_PER_GAME + 1;
  const planId = wholeOr(query.get("id"), firstOf(wholeOr(query.get("game_id"), 1)));
  return {
    planId,
    gameId: gameOf(planId),
    name: query.get("name") ?? "",
    title: query.get("title") ?? "",
    status: query.get("status") ?? "",
  };
}

/** Whether the server has this hall. */
export function isHall({ planId }: RoomId): boolean {
  return planId >= 1 && planId <= GAMES * PLANS_PER_GAME;
}

export function useAddress(): RoomAddress {
  const [query] = useSearchParams();
  return useMemo(() => readAddress(query), [query]);
}

/** The address of the game's draw results, or of the proof of one of them. */
export function useDrawsPath(room: RoomAddress): (issue?: string) => string {
  const name = useGameName()(room.gameId, room.name);
  const about = { id: String(room.planId), game_id: String(room.gameId), name };
  return (issue) => {
    const query = new URLSearchParams(issue === undefined ? about : { ...about, issue });
    return `/lotteryDetail?${query}`;
  };
}
