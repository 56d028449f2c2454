import type { CurrentRound, Draw, Game, Heart } from "../../api/types.ts";
import { isDiscontinued } from "../../lib/halls.ts";

/**
 * What a room is doing, from the heartbeat and the server's clock.
 *
 * The server's flags (`whether_close`, `game_status`) can close a round early but
 * never keeps one open past its close: the clock alone seals a room whose
 * connection has fallen silent.
 */

export type Phase =
  | "connecting"
  | "open"
  | "closing"
  | "sealed"
  | "drawing"
  | "settled"
  | "game_closed";

/** The last stretch before the close, in which the countdown warns. */
export const CLOSING_MS = 10_000;

/** A heartbeat's round and draw; null where the wire has an object without a number. */
export interface HeartbeatState extends Pick<Heart, "game_status"> {
  readonly issue: CurrentRound | null;
  readonly last_issue: Draw | null;
}

export function heartbeatState({ game_status, issue, last_issue }: Heart): HeartbeatState {
  return {
    game_status,
    issue: issue.issue ? issue : null,
    last_issue: last_issue.issue_code ? last_issue : null,
  };
}

function afterClose(round: CurrentRound, drawnIssue: string | undefined, nowMs: number): Phase {
  if (drawnIssue === round.issue) return "settled";
  return nowMs >= round.draws_at ? "drawing" : "sealed";
}

export function phaseAt(heart: HeartbeatState | null, nowMs: number): Phase {
  if (heart === null) return "connecting";
  const round = heart.issue;
  if (heart.game_status !== 1 || round === null) return "game_closed";
  const leftMs = round.closes_at - nowMs;
  if (round.whether_close === 1 || leftMs <= 0) {
    return afterClose(round, heart.last_issue?.issue_code, nowMs);
  }
  return leftMs <= CLOSING_MS ? "closing" : "open";
}

/** Whether a bet can be bought, followed or recalled in this phase. */
export function takesBets(phase: Phase): boolean {
  return phase === "open" || phase === "closing";
}

/** Whether another player's bet can be followed. */

export type FollowVerdict = "ok" | "closed" | "not_current";

export function followVerdict(
  phase: Phase,
  betIssue: string,
  currentIssue: string | undefined,
): FollowVerdict {
  if (!takesBets(phase)) return "closed";
  return betIssue === currentIssue ? "ok" : "not_current";
}

/** Why a room is closed, other than between the close and the draw of a round. */

/** `hours`: between two days; `hall`: staff closed it; `discontinued`: staff closed everything. */
export type ClosedReason = "hours" | "hall" | "discontinued";

/**
 * A room that is closed while a round is running was closed by staff; so was one that the list of
 * halls marks.
 */
export function closedReason(
  closedDuringRound: boolean,
  games: readonly Pick<Game, "status" | "planList">[],
  planId: number,
): ClosedReason {
  if (isDiscontinued(games)) return "discontinued";
  const hall = games.flatMap((game) => game.planList).find((plan) => plan.id === planId);
  return closedDuringRound || hall?.status === 0 ? "hall" : "hours";
}
