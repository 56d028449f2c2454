/** Three soft notes for a win, as steps of a sound that is made and not fetched. */

export interface Note {
  readonly hertz: number;
  /** Seconds after the first. */
  readonly atS: number;
  readonly lastsS: number;
  /** 0 to 1. */
  readonly loud: number;
}

/** G, B and D of the fifth octave, each let ring into the next. */
export const CHIME: readonly Note[] = [
  { hertz: 783.99, atS: 0, lastsS: 0.5, loud: 0.16 },
  { hertz: 987.77, atS: 0.14, lastsS: 0.55, loud: 0.14 },
  { hertz: 1174.66, atS: 0.28, lastsS: 0.9, loud: 0.12 },
];

/** A short, a pause and a longer one, in ms, as navigator.vibrate takes them. */
export const BUZZ: readonly number[] = [60, 50, 120];
