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

/** Milliseconds to the close, or to the draw once the round is closed; never below 0. */
export function msLeft(round: CurrentRound | null, phase: Phase, nowMs: number): number {
  if (round === null) return 0;
  const target = takesBets(phase) ? round.closes_at : round.draws_at;
  return Math.max(0, target - nowMs);
}

/** "m:ss", rounded up so that 0:00 appears at the close and not a second before. */
export function clockText(leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
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

/** A round lasts 3.5 minutes unless the draws that we see say otherwise. */
const ROUND_SECONDS = 210;

/** From the next draw, in ms, and earlier draws, newest first; the gap of a night is ignored. */
export function roundSeconds(comingMs: number | undefined, draws: readonly Draw[]): number {
  const coming = comingMs === undefined ? [] : [Math.round(comingMs / 1000)];
  const times = [...coming, ...draws.flatMap((draw) => draw.createtime ?? [])];
  const gaps = times.slice(1).map((time, at) => Math.abs((times[at] ?? time) - time));
  const shortest = Math.min(...gaps.filter((gap) => gap > 0));
  return Number.isFinite(shortest) ? shortest : ROUND_SECONDS;
}

/** What is left of the open time, or of the wait for the draw; 1 to 0. */
export function fractionLeft(
  phase: Phase,
  round: CurrentRound | null,
  secondsLeft: number,
  seconds: number,
): number {
  if (round === null) return 0;
  const sealedSeconds = Math.max(1, (round.draws_at - round.closes_at) / 1000);
  const span = takesBets(phase) ? seconds - sealedSeconds : sealedSeconds;
  return Math.min(1, secondsLeft / Math.max(1, span));
}
