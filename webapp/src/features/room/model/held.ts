/** Which change of a figure may wait for the balls to settle. */

/** In u; neither null nor undefined once it is known. */
export type Figure = number | null | undefined;

export interface Kept {
  readonly value: Figure;
  /** How many bets of one's own had been placed or taken back here. */
  readonly moves: number;
}

/**
 * A change that the member made is shown at once, and so is a figure read for the first
 * time: neither tells of the draw, and an older figure would then be untrue.
 */
export function keepsBack(kept: Kept, now: Kept): boolean {
  const known = kept.value !== null && kept.value !== undefined;
  return known && kept.value !== now.value && kept.moves === now.moves;
}
