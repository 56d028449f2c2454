import { lazy } from "react";
import { answers } from "./network.ts";
import { patiently } from "./patiently.ts";

const TRIES = 2;

/**
 * A component whose code comes when it is wanted. Without a network it is waited for; it breaks
 * only if the house answers and does not have it, as after a release.
 */
export const later: typeof lazy = (load) => {
  let refused = 0;
  return lazy(() => patiently(load, async () => (await answers()) && ++refused === TRIES));
};
