import { useEffect, useState } from "react";
import { useRoom } from "./store.ts";

/** When each of the four settles after the draw is known: three balls, then the sum. */
const SETTLE_MS = [700, 1_500, 2_300, 3_200];
export const ALL_SETTLED = SETTLE_MS.length;

export function useReducedMotion(): boolean {
  const [query] = useState(() => matchMedia("(prefers-reduced-motion: reduce)"));
  const [reduced, setReduced] = useState(query.matches);
  useEffect(() => {
    const changed = () => setReduced(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, [query]);
  return reduced;
}

/**
 * How many of the last draw's balls and sum are to be shown, 0 to 4. A draw found on
 * entering, or with reduced motion, is shown whole.
 */
export function useSettled(): number {
  const issue = useRoom((room) => room.freshDraw?.issue_code);
  const reduced = useReducedMotion();
  const [played, setPlayed] = useState({ issue, settled: ALL_SETTLED });
  useEffect(() => {
    if (issue === undefined || reduced) return;
    const show = (settled: number) => setPlayed({ issue, settled });
    show(0);
    const timers = SETTLE_MS.map((ms, at) => setTimeout(() => show(at + 1), ms));
    return () => timers.forEach(clearTimeout);
  }, [issue, reduced]);
  if (issue === undefined || reduced) return ALL_SETTLED;
  return played.issue === issue ? played.settled : 0;
}
