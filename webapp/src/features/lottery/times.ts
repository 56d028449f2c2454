/** When rounds are sold, and how long one lasts. */

const MINUTE = 60;
const HOURS = 24;

/** A day in which sales never stop. */
export const WHOLE_DAY_MIN = HOURS * MINUTE;

/** "02:00" from minutes after midnight; beyond the day it is the next day's clock. */
export function clockAt(minutes: number): string {
  const parts = [Math.floor(minutes / MINUTE) % HOURS, minutes % MINUTE];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** Seconds as minutes and seconds, and which of the two there are to be told. */
export function lengthOf(all: number) {
  const [minutes, seconds] = [Math.floor(all / MINUTE), all % MINUTE];
  if (minutes === 0) return { told: "seconds", minutes, seconds } as const;
  return { told: seconds === 0 ? "minutes" : "both", minutes, seconds } as const;
}
