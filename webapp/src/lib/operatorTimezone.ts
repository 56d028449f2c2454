import { create } from "zustand";

/** The zone until the configuration is known. */
const USUAL = "Asia/Singapore";
const KEY = "fairdraw.timezone";

/** The stored zone was valid when it was stored. */
function storedZone(): string {
  return globalThis.localStorage?.getItem(KEY) ?? USUAL;
}

/**
 * The operator's zone, an IANA name. Stored on the device, because pages show times before the
 * server has answered.
 */
export const useOperatorTimezone = create<{ zone: string }>()(() => ({ zone: storedZone() }));

export const operatorTimezone = (): string => useOperatorTimezone.getState().zone;

/**
 * Changes the zone if the browser knows it: an unknown zone
 * would break every page.
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
