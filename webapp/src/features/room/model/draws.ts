/** A game's latest draws, newest first, as a room keeps them. */

import type { Draw } from "../../../api/types.ts";
import type { Drawn } from "../../../lib/draws.ts";
import { isLater } from "./room.ts";

/** As many as the list of earlier draws shows; /lotteryDetail has the rest. */
export const DRAWS_KEPT = 20;

export function drawnOf(draw: Draw): Drawn {
  return { digits: [draw.site_1, draw.site_2, draw.site_3], sum: draw.code };
}

export function latestDraws(draws: readonly Draw[]): readonly Draw[] {
  return draws.slice(0, DRAWS_KEPT);
}

/** With a draw just heard of; the same list when that is in it, or older than it. */
export function withDraw(draws: readonly Draw[], heard: Draw | null): readonly Draw[] {
  const [newest] = draws;
  if (heard === null) return draws;
  if (newest !== undefined && !isLater(heard.issue_code, newest.issue_code)) return draws;
  return latestDraws([heard, ...draws]);
}

/** Whether a round is among the latest: what came of it is still news. */
export function isRecent(draws: readonly Draw[], issue: string): boolean {
  return draws.some((draw) => draw.issue_code === issue);
}
