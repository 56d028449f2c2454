/** The countdown's ring. */

import type { CurrentRound, Draw } from "../../api/types.ts";
import { type Phase, takesBets } from "./phase.ts";

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
