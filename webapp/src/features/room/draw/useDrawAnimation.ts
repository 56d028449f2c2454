import { useEffect, useState } from "react";
import { useReducedMotion } from "../../../lib/useReducedMotion.ts";
import { useRoom } from "../roomStore.ts";

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
