/** How long a round lasts. */

const MINUTE = 60;

/** A day in which sales never stop. */
export const WHOLE_DAY_MIN = 24 * MINUTE;

/** Seconds as minutes and seconds, and which of the two there are to be told. */
export function lengthOf(all: number) {
  const [minutes, seconds] = [Math.floor(all / MINUTE), all % MINUTE];
  if (minutes === 0) return { told: "seconds", minutes, seconds } as const;
  return { told: seconds === 0 ? "minutes" : "both", minutes, seconds } as const;
}
