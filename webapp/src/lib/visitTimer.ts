import { create } from "zustand";

/** A player's visit to the app, in ms since the epoch. */
export interface Visit {
  userId: string;
  since: number;
  /** When the page was last visible. */
  seen: number;
  /** When the player was last reminded, or the start of the visit. */
  told: number;
}

/** A longer absence ends the visit. */
export const AWAY_MS = 30 * 60_000;

const KEY = "fairdraw.visit";

/** The visit at `now`: a new one for another player, or after a long absence. */
export function visitAt(before: Visit | null, userId: string, now: number): Visit {
  const isSameVisit = before !== null && before.userId === userId && now >= before.seen;
  if (isSameVisit && now - before.seen <= AWAY_MS) return { ...before, seen: now };
  return { userId, since: now, seen: now, told: now };
}

/** Whether a reminder is due after `everyMinutes`; 0 means never. */
export function isDue(visit: Visit, everyMinutes: number): boolean {
  return everyMinutes > 0 && visit.seen - visit.told >= everyMinutes * 60_000;
}

export function minutesOf(visit: Visit): number {
  return Math.floor((visit.seen - visit.since) / 60_000);
}

export function parseVisit(text: string | null): Visit | null {
  try {
    const stored: unknown = JSON.parse(text ?? "null");
    if (typeof stored !== "object" || stored === null) return null;
    const visit = stored as Visit;
    const times = [visit.since, visit.seen, visit.told];
    return typeof visit.userId === "string" && times.every(Number.isFinite) ? visit : null;
  } catch {
    return null;
  }
}

/** Of this tab; it outlives a reload. */
export const useVisit = create<{ visit: Visit | null }>()(() => ({
  visit: typeof sessionStorage === "undefined" ? null : parseVisit(sessionStorage.getItem(KEY)),
}));

function keep(visit: Visit): void {
  useVisit.setState({ visit });
  sessionStorage.setItem(KEY, JSON.stringify(visit));
}

/** Notes that the player is looking. */
export function recordVisit(userId: string, now: number): void {
  keep(visitAt(useVisit.getState().visit, userId, now));
}

/** Records that the reminder was shown. */
export function recordReminder(now: number): void {
  const { visit } = useVisit.getState();
  if (visit !== null) keep({ ...visit, told: now });
}
