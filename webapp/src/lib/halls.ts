/** Halls: which there are, and who may enter one. */

/**
 * Plans are numbered 1 to 36: nine a game, three halls within each of three membership levels.
 * The hall is called `plan` on the wire.
 */
export function hallOf(planId: number): { vip: number; tier: 0 | 1 | 2 } {
  const place = (planId - 1) % 9;
  return { vip: Math.floor(place / 3) + 1, tier: (place % 3) as 0 | 1 | 2 };
}

/** Whether staff closed every game. */
export function isDiscontinued(games: readonly { status: 0 | 1 }[]): boolean {
  return games.length > 0 && games.every((game) => game.status === 0);
}

/** Whether the player may enter a hall; `unknown` while the balance is needed and not known. */
export type Admission = "open" | "too_poor" | "unknown";

/** Both in u. */
export function canEnter(joinLimit: number, money: number | null): Admission {
  if (joinLimit === 0) return "open";
  if (money === null) return "unknown";
  return money < joinLimit ? "too_poor" : "open";
}
