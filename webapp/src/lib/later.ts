import { lazy } from "react";
import { answers } from "./network.ts";
import { patiently } from "./patiently.ts";

/** One answer may come just after the network returned, when the attempt had already failed. */
const TRIES = 3;

/**
 * Says after each failed attempt whether the code is gone for good, as after a release: the server
 * answered after TRIES failed attempts in a row.
 */
export function releaseDetector(reachable: () => Promise<boolean>): () => Promise<boolean> {
  let refused = 0;
  return async () => {
    refused = (await reachable()) ? refused + 1 : 0;
    return refused === TRIES;
  };
}

/**
 * A component whose code is loaded when it is first shown. Without a network the app waits for it;
 * it breaks only if the server answers and does not have it.
 */
export const later: typeof lazy = (load) => {
  const isGone = releaseDetector(answers);
  return lazy(() => patiently(load, isGone));
};
