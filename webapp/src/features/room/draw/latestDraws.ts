/** A game's latest draws, newest first, as a room keeps them. */

import type { Draw } from "../../../api/types.ts";
import type { Drawn } from "../../../components/Balls.tsx";
import { isLater } from "../roomReducer.ts";

/** As many as the list of earlier draws shows; /lotteryDetail has the rest. */
export const DRAWS_KEPT = 20;

export function drawnOf(draw: Draw): Drawn {
  return { digits: [draw.site_1, draw.site_2, draw.site_3], sum: draw.code };
}

export function latestDraws(draws: readonly Draw[]): readonly Draw[] {
  return draws.slice(0, DRAWS_KEPT);
}

/** The list with a new draw; the same list when the draw is in it or older. */
export function withDraw(draws: readonly Draw[], heard: Draw | null): readonly Draw[] {
  const [newest] = draws;
  if (heard === null) return draws;
  if (newest !== undefined && !isLater(heard.issue_code, newest.issue_code)) return draws;
  return latestDraws([heard, ...draws]);
}

/** Time for two rounds. The night's last draw is still the latest when sales open again. */
const NEWS_MS = 600_000;

/** Whether a round's result is still news: of the last draw or the one before it. */
export function isRecent(draws: readonly Draw[], issue: string, nowMs: number): boolean {
  const draw = draws.slice(0, 2).find(({ issue_code }) => issue_code === issue);
  return draw !== undefined && nowMs - draw.createtime * 1000 <= NEWS_MS;
}
