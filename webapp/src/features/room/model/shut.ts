/** Why a room sells nothing although no round is merely closed for its draw. */

import type { Game } from "../../../api/types.ts";
import { isDiscontinued } from "../../../lib/halls.ts";

/** `hours`: between two days; `hall`: staff closed it; `discontinued`: staff closed everything. */
export type Shut = "hours" | "hall" | "discontinued";

/** A room that is shut while its round runs was shut by staff; the list of halls says the same. */
export function whyShut(
  shutBesideRound: boolean,
  games: readonly Pick<Game, "status" | "planList">[],
  planId: number,
): Shut {
  if (isDiscontinued(games)) return "discontinued";
  const hall = games.flatMap((game) => game.planList).find((plan) => plan.id === planId);
  return shutBesideRound || hall?.status === 0 ? "hall" : "hours";
}
