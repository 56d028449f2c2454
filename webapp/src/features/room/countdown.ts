import type { CurrentRound, Draw } from "../../api/types.ts";
import { type Phase, takesBets } from "./phase.ts";

/** The countdown of a room: the time left, its text, and what is left of its ring. */

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
