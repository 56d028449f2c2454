import { useTranslations } from "use-intl";

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

/** Plans are numbered 1 to 36: nine a game, three halls within each of three levels. */
export function planParts(planId: number): { vip: number; tier: 0 | 1 | 2 } {
  const place = (planId - 1) % 9;
  const tier = place % 3;
  return { vip: Math.floor(place / 3) + 1, tier: tier === 1 ? 1 : tier === 2 ? 2 : 0 };
}

/** "VIP1 Ordinary hall" in the page's language. */
export function usePlanName(): (planId: number) => string {
  const t = useTranslations("common.tiers");
  return (planId) => {
    const { vip, tier } = planParts(planId);
    return `VIP${vip} ${t(`t${tier}`)}`;
  };
}
