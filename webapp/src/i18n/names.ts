import { useTranslations } from "use-intl";
import { hallOf } from "../lib/halls.ts";

type GameKey = "g1" | "g2" | "g3" | "g4";
const GAMES: Record<number, GameKey> = { 1: "g1", 2: "g2", 3: "g3", 4: "g4" };

/** A game's name in the page's language; the server's own for a game we do not know. */
export function useGameName(): (gameId: number, fallback: string) => string {
  const t = useTranslations("common.games");
  return (gameId, fallback) => {
    const key = GAMES[gameId];
    return key === undefined ? fallback : t(key);
  };
}

/** "VIP1 Ordinary hall" in the page's language. */
export function usePlanName(): (planId: number) => string {
  const t = useTranslations("common.tiers");
  return (planId) => {
    const { vip, tier } = hallOf(planId);
    return `VIP${vip} ${t(`t${tier}`)}`;
  };
}
