import { useEffect, useRef, useState } from "react";
import { useReducedMotion } from "../../../lib/useReducedMotion.ts";
import { useRoom } from "../roomStore.ts";
import { usePhase } from "../useRoomClock.ts";
import { DRAW_SHOWN } from "./useDrawAnimation.ts";

/** The sum has settled by then; whatever else delays a draw, a figure waits no longer. */
const LONGEST_MS = 4_000;

/** Whether balls are turning whose result the balance would tell first. */
export function useDrawPending(settled: number): boolean {
  const drawing = usePhase() === "drawing";
  const reduced = useReducedMotion();
  return !reduced && (drawing || settled < DRAW_SHOWN);
}

/** A figure as it stood before the draw, while that is in suspense; else the figure itself. */
export function useDelayedBalance(value: MaybeAmount, suspense: boolean): MaybeAmount {
  const moves = useRoom((room) => room.moves);
  const now: ShownAmount = { value, moves };
  const [kept, setKept] = useState(now);
  const held = suspense && isDelayed(kept, now);
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

/** Which change of a figure may wait for the balls to settle. */

/** In u; neither null nor undefined once it is known. */
export type MaybeAmount = number | null | undefined;

interface ShownAmount {
  readonly value: MaybeAmount;
  /** How many bets of one's own had been placed or taken back here. */
  readonly moves: number;
}

/**
 * A change that the member made is shown at once, and so is a figure read for the first
 * time: neither tells of the draw, and an older figure would then be untrue.
 */
export function isDelayed(kept: ShownAmount, now: ShownAmount): boolean {
  const known = kept.value !== null && kept.value !== undefined;
  return known && kept.value !== now.value && kept.moves === now.moves;
}
