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
const TIERS = 3;

function wholeOr(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : otherwise;
}

/** Where a room's address leads: a plan says its game, so a bare id is enough. */
export function readAddress(query: URLSearchParams): RoomAddress {
  const planId = Math.max(1, wholeOr(query.get("id"), 1));
  return {
    planId,
    gameId: wholeOr(query.get("game_id"), Math.ceil(planId / PLANS_PER_GAME)),
    name: query.get("name") ?? "",
    title: query.get("title") ?? "",
    status: query.get("status") ?? "",
  };
}

/** The membership level, 1 to 3, and the hall's tier, 0 to 2: plans are numbered 3·vip + tier. */
export function levelOf(planId: number): { vip: number; tier: number } {
  const place = (planId - 1) % PLANS_PER_GAME;
  return { vip: Math.floor(place / TIERS) + 1, tier: place % TIERS };
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
