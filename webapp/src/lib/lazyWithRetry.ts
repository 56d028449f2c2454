import { lazy } from "react";
import { isServerReachable } from "./network.ts";

/** One answer may come just after the network returned, when the attempt had already failed. */
const TRIES = 3;

/**
 * Says after each failed attempt whether the chunk is gone permanently, as after a release: the
 * server answered after TRIES failed attempts in a row.
 */
export function releaseDetector(reachable: () => Promise<boolean>): () => Promise<boolean> {
  let refused = 0;
  return async () => {
    refused = (await reachable()) ? refused + 1 : 0;
    return refused === TRIES;
  };
}

/** React.lazy that waits for a network. Fails only if the server answers and has no such chunk. */
export const lazyWithRetry: typeof lazy = (load) => {
  const isGone = releaseDetector(isServerReachable);
  return lazy(() => loadWithRetry(load, isGone));
};

const AGAIN_MS = 2_000;

/**
 * Retries `load` until it succeeds: for parts that the app does not need meanwhile.
 * Throws a failure if `isHopeless`.
 */
export async function loadWithRetry<Part>(
  load: () => Promise<Part>,
  isHopeless = async () => false,
): Promise<Part> {
  for (;;) {
    try {
      await reloadFailedStyles();
      return await load();
    } catch (error) {
      if (await isHopeless()) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** Style sheets that could not be fetched. */
const failed = new Set<HTMLLinkElement>();

export function watchStyleSheets(): void {
  const note = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") failed.add(target);
  };
  addEventListener("error", note, true);
}

/**
 * Fetches failed style sheets again, and rejects if one fails: the bundler's preload
 * requests each only once, and a page would show without its styles.
 */
const reloadFailedStyles = (): Promise<unknown> => Promise.all([...failed].map(reload));

function reload(link: HTMLLinkElement): Promise<Event> {
  failed.delete(link);
  return new Promise((resolve, reject) => {
    const copy = link.cloneNode() as HTMLLinkElement;
    copy.onload = resolve;
    copy.onerror = reject;
    link.replaceWith(copy);
  });
}
