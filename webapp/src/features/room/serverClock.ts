/**
 * Estimates the server's clock.
 *
 * A sample is the server's time when it wrote the answer; on arrival it is
 * late by the latency, and a cached one by more. Latency only makes the
 * difference to our clock smaller, so the largest of the recent differences is
 * the best estimate.
 */

const KEPT_SAMPLES = 8;

export interface ServerClock {
  readonly offsetsMs: readonly number[];
}

export function newClock(): ServerClock {
  return { offsetsMs: [] };
}

export function withSample(clock: ServerClock, serverMs: number, localMs: number): ServerClock {
  return { offsetsMs: [...clock.offsetsMs, serverMs - localMs].slice(-KEPT_SAMPLES) };
}

/** The server's time in ms; the local one until a first sample is there. */
export function serverNow(clock: ServerClock, localMs: number): number {
  return clock.offsetsMs.length === 0 ? localMs : localMs + Math.max(...clock.offsetsMs);
}
