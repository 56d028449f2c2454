/** How long a message may be and how fast one may speak: as the house counts it. */

export const LONGEST = 200;
/** From here on the length is shown. */
export const LENGTH_SHOWN_FROM = 120;
export const MOST = 5;
export const WITHIN_MS = 10_000;

/** When something was said within the span that counts, oldest first, in ms. */
export function recent(saidAt: readonly number[], now: number): readonly number[] {
  return saidAt.filter((at) => now - at < WITHIN_MS).slice(-MOST);
}

/** Whole seconds until one may speak again; 0 when one may now. */
export function restSeconds(saidAt: readonly number[], now: number): number {
  const counted = recent(saidAt, now);
  const first = counted[0];
  if (first === undefined || counted.length < MOST) return 0;
  return Math.ceil((first + WITHIN_MS - now) / 1000);
}
