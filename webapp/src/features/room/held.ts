import { useEffect, useRef, useState } from "react";
import { useReducedMotion } from "../../lib/motion.ts";
import { type Figure, type Kept, keepsBack } from "./model/held.ts";
import { ALL_SETTLED } from "./moment.ts";
import { useRoom } from "./store.ts";
import { usePhase } from "./time.ts";

/** The sum has settled by then; whatever else delays a draw, a figure waits no longer. */
const LONGEST_MS = 4_000;

/** Whether balls are turning whose result the balance would tell first. */
export function useSuspense(settled: number): boolean {
  const drawing = usePhase() === "drawing";
  const reduced = useReducedMotion();
  return !reduced && (drawing || settled < ALL_SETTLED);
}

/** A figure as it stood before the draw, while that is in suspense; else the figure itself. */
export function useHeldBack(value: Figure, suspense: boolean): Figure {
  const moves = useRoom((room) => room.moves);
  const now: Kept = { value, moves };
  const [kept, setKept] = useState(now);
  const held = suspense && keepsBack(kept, now);
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
