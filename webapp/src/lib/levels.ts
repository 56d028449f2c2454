/** Member levels by lifetime turnover, the lowest first; a quota's number is the place here. */
export const LEVELS = ["basic", "senior", "master", "expert"] as const;
export type Level = (typeof LEVELS)[number];

/** The level of that name; the lowest where the server names one that is not known here. */
export function levelOf(name: string | null): Level {
  return LEVELS.find((level) => level === name) ?? LEVELS[0];
}

export function levelAfter(level: Level): Level | null {
  return LEVELS[LEVELS.indexOf(level) + 1] ?? null;
}
