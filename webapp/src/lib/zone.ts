import { create } from "zustand";

/** Whose days are counted as long as the house has not said. */
const USUAL = "Asia/Singapore";
const KEY = "fairdraw.timezone";

/** Not every browser knows every zone, and one that it does not know would break each page. */
function isKnown(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** It was known when it was kept. */
function remembered(): string {
  return (typeof localStorage === "undefined" ? null : localStorage.getItem(KEY)) ?? USUAL;
}

/**
 * The operator's zone, an IANA name. The device keeps it, for pages show times before the house
 * has answered.
 */
export const useZone = create<{ zone: string }>()(() => ({ zone: remembered() }));

export const operatorZone = (): string => useZone.getState().zone;

/** Counts days by another zone from now on. */
export function keepZone(zone: string): void {
  if (zone === operatorZone() || !isKnown(zone)) return;
  useZone.setState({ zone });
  if (typeof localStorage !== "undefined") localStorage.setItem(KEY, zone);
}
