import { create } from "zustand";

/** The zone until the configuration is known. */
const USUAL_ZONE = "Asia/Singapore";
const ZONE_KEY = "fairdraw.timezone";

/** The stored zone was valid when it was stored. */
function storedZone(): string {
  return globalThis.localStorage?.getItem(ZONE_KEY) ?? USUAL_ZONE;
}

/**
 * The operator's zone, an IANA name. Stored on the device, because pages show times before the
 * server has answered.
 */
export const useOperatorTimezone = create<{ zone: string }>()(() => ({ zone: storedZone() }));

export const operatorTimezone = (): string => useOperatorTimezone.getState().zone;

/** Changes the zone if the browser knows it: an unknown zone would break every page. */
export function setOperatorTimezone(zone: string): void {
  if (zone === operatorTimezone()) return;
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    return;
  }
  useOperatorTimezone.setState({ zone });
  globalThis.localStorage?.setItem(ZONE_KEY, zone);
}

/** The first day that the date pickers offer. */
export const FIRST_DAY = "2018-01-01";

/** yyyy-mm-dd in the operator's zone: a "day" is its calendar day, wherever the phone is. */
export function dayOf(at: Date | number = new Date()): string {
  const { year, month, day } = partsOf(at);
  return `${year}-${month}-${day}`;
}

/** The value of a date field, or today when it is empty. */
export function orToday(day: string): string {
  return day === "" ? dayOf() : day;
}

/** The nearest selectable day: a typed date may be outside the range. */
export function nearestDay(day: string): string {
  const [, nearest] = [FIRST_DAY, orToday(day), dayOf()].sort();
  return nearest ?? "";
}

/** "yyyy-mm-dd hh:mm:ss" from whole seconds since the epoch. */
export function formatTime(seconds: number): string {
  return `${dayOf(seconds * 1000)} ${formatClock(seconds)}`;
}

/** "02:00" from minutes after midnight; beyond the day it is the next day's clock. */
export function formatMinute(minutes: number): string {
  const parts = [Math.floor(minutes / 60) % 24, minutes % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

type Part = Intl.DateTimeFormatPartTypes;

function formatIn(timeZone: string) {
  return new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}

let made: { zone: string; format: Intl.DateTimeFormat } | undefined;

/**
 * The parts of a time. No locale formats as yyyy-mm-dd in every browser: some
 * write en-CA as mm/dd/yyyy. The formatter is created on first use, because a slow phone
 * takes 150 ms, and again when the zone changes.
 */
export function partsOf(at: Date | number): Partial<Record<Part, string>> {
  const zone = operatorTimezone();
  if (made?.zone !== zone) made = { zone, format: formatIn(zone) };
  return Object.fromEntries(made.format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** "hh:mm:ss" from whole seconds since the epoch. */
export function formatClock(seconds: number): string {
  const { hour, minute, second } = partsOf(seconds * 1000);
  return `${hour}:${minute}:${second}`;
}
