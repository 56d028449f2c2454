/** How long after the last touch or key a call still counts as made by a person. */
export const PRESENT_MS = 10_000;

const SIGNS = ["pointerdown", "keydown"];

let lastSignAt = Number.NEGATIVE_INFINITY;

/** Notes that the person used the app; `now` is in ms of any clock that only goes forward. */
export function recordPresence(now: number = performance.now()): void {
  lastSignAt = now;
}

/** Whether the person used the app a moment ago, so that a call is more than a timer's. */
export function isPresent(now: number = performance.now()): boolean {
  return now - lastSignAt <= PRESENT_MS;
}

/** Listens to touches and keys, before any handler can stop them. */
export function watchPresence(): void {
  const note = () => recordPresence();
  for (const sign of SIGNS) addEventListener(sign, note, { capture: true, passive: true });
}
