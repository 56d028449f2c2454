import { useEffect, useRef, useState } from "react";
import { useReducedMotion } from "../../../lib/useReducedMotion.ts";
import { useRoom } from "../roomStore.ts";
import { usePhase } from "../useRoomClock.ts";

/**
 * When each of the four settles after the draw is known (three balls, then the sum), and the rest.
 */
const STEPS_MS = [700, 1_500, 2_300, 3_200, 5_000];
/** From this step on the whole draw is shown. */
export const DRAW_SHOWN = 4;
/** From this step on the animation is over. */
export const IDLE = STEPS_MS.length;

/**
 * The step of the last draw: how many of its balls and sum are to be shown, 0 to 4, then
 * 5 at rest. A draw found on entering, or with reduced motion, is at rest.
 */
export function useDrawAnimation(): number {
  const issue = useRoom((room) => room.freshDraw?.issue_code);
  const reduced = useReducedMotion();
  const [played, setPlayed] = useState({ issue, settled: IDLE });
  useEffect(() => {
    if (issue === undefined || reduced) return;
    const show = (settled: number) => setPlayed({ issue, settled });
    show(0);
    const timers = STEPS_MS.map((ms, at) => setTimeout(() => show(at + 1), ms));
    return () => timers.forEach(clearTimeout);
  }, [issue, reduced]);
  if (issue === undefined || reduced) return IDLE;
  return played.issue === issue ? played.settled : 0;
}

/** The whole draw is shown by then; the balance is never delayed for longer. */
const LONGEST_MS = 4_000;

/**
 * Whether an animated draw is pending, which the balance would give away; `settledBalls` of its balls
 * stand still.
 */
export function useDrawPending(settledBalls: number): boolean {
  const drawing = usePhase() === "drawing";
  const reduced = useReducedMotion();
  return !reduced && (drawing || settledBalls < DRAW_SHOWN);
}

/** The value from before the draw while the draw is pending; else the value itself. */
export function useDelayedBalance(value: MaybeAmount, pending: boolean): MaybeAmount {
  const moves = useRoom((room) => room.moves);
  const now: ShownAmount = { value, moves };
  const [kept, setKept] = useState(now);
  const held = pending && isDelayed(kept, now);
  if (!held && (kept.value !== value || kept.moves !== moves)) setKept(now);
  const newest = useRef(now);
  useEffect(() => {
    newest.current = now;
  });
  useEffect(() => {
    if (!held) return;
    const timer = setTimeout(() => setKept(newest.current), LONGEST_MS);
    return () => clearTimeout(timer);
  }, [held]);
  return held ? kept.value : value;
}

/** In u; neither null nor undefined once it is known. */
export type MaybeAmount = number | null | undefined;

interface ShownAmount {
  readonly value: MaybeAmount;
  /** How many bets of one's own had been placed or recalled here. */
  readonly moves: number;
}

/**
 * A change that the player made is shown immediately, and so is a value read for the first
 * time: neither gives the draw away, and the older value would be wrong.
 */
export function isDelayed(kept: ShownAmount, now: ShownAmount): boolean {
  const known = kept.value !== null && kept.value !== undefined;
  return known && kept.value !== now.value && kept.moves === now.moves;
}
