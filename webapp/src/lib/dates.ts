import { operatorZone } from "./zone.ts";

/** The first day that the date pickers offer. */
export const FIRST_DAY = "2018-01-01";

const DAY = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;

function formatsIn(timeZone: string) {
  return {
    timeZone,
    day: new Intl.DateTimeFormat("en-CA", { ...DAY, timeZone }),
    clock: new Intl.DateTimeFormat("en-GB", { ...CLOCK, timeZone }),
  };
}

let made: ReturnType<typeof formatsIn> | undefined;

/** Made when the first time is written, for a slow phone takes 150 ms, or the zone has changed. */
function formats() {
  const zone = operatorZone();
  if (made?.timeZone !== zone) made = formatsIn(zone);
  return made;
}

/** yyyy-mm-dd in the operator's zone: a "day" is its calendar day, wherever the phone is. */
export function dayOf(at: Date | number = new Date()): string {
  return formats().day.format(at);
}

/** What a date field holds, or today when it holds nothing. */
export function orToday(day: string): string {
  return day === "" ? dayOf() : day;
}

/** "yyyy-mm-dd hh:mm:ss" from whole seconds since the epoch. */
export function formatTime(seconds: number): string {
  return `${dayOf(seconds * 1000)} ${formatClock(seconds)}`;
}

/** "hh:mm:ss" from whole seconds since the epoch. */
export function formatClock(seconds: number): string {
  return formats().clock.format(seconds * 1000);
}

/** A moment to come, with its zone: "Nov 23, 2026, 14:05 GMT+8" from whole seconds. */
export function formatMoment(seconds: number, locale: string): string {
  const written = new Intl.DateTimeFormat(locale, {
    timeZone: operatorZone(),
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(seconds * 1000);
  // In Russian the year and its sign stay on one line.
  return written.replace(" г.", "\u00a0г.");
}
