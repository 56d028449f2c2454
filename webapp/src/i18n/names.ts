import { useTranslations } from "use-intl";
import { isNamedKind } from "../lib/betKinds.ts";
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

/** A bet kind's plain name in the page's language; a sum is its own name. */
export function useBetName(): (kind: string) => string {
  const t = useTranslations("common.kinds");
  return (kind) => (isNamedKind(kind) ? t(kind) : kind);
}

export interface BetNames {
  /** The investment-style name. */
  readonly name: string;
  /** The plain name. */
  readonly plain: string;
}

/** Both names of a bet; a sum has only itself. */
export function useBetNames(): (kind: string) => BetNames {
  const t = useTranslations("common");
  return (kind) => {
    if (!isNamedKind(kind)) return { name: kind, plain: kind };
    return { name: t(`finance.${kind}`), plain: t(`kinds.${kind}`) };
  };
}

/** "Long (Big)", one word where both are the same, "Sum 9" for a sum. */
export function useBetText(): (kind: string) => string {
  const t = useTranslations("common");
  const words = useBetNames();
  return (kind) => {
    const { name, plain } = words(kind);
    if (!isNamedKind(kind)) return /^\d+$/.test(kind) ? `${t("sum")} ${kind}` : kind;
    return name === plain ? plain : t("bothNames", { name, plain });
  };
}
