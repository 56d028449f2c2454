import { create } from "zustand";

/** Whose days are counted as long as the house has not said. */
const USUAL = "Asia/Singapore";
const KEY = "fairdraw.timezone";

/** It was known when it was kept. */
function remembered(): string {
  return globalThis.localStorage?.getItem(KEY) ?? USUAL;
}

/**
 * The operator's zone, an IANA name. The device keeps it, for pages show times before the house
 * has answered.
 */
export const useOperatorTimezone = create<{ zone: string }>()(() => ({ zone: remembered() }));

export const operatorTimezone = (): string => useOperatorTimezone.getState().zone;

/**
 * Counts days by another zone from now on, where the browser knows it: a zone that it does not know
 * would break each page.
 */
export function setOperatorTimezone(zone: string): void {
  if (zone === operatorTimezone()) return;
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    return;
  }
  useOperatorTimezone.setState({ zone });
  globalThis.localStorage?.setItem(KEY, zone);
}
