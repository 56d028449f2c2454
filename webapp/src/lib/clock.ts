import { operatorZone } from "./zone.ts";

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
 * The parts of a moment. Not a whole text: no locale is written yyyy-mm-dd in every browser, some
 * write en-CA as mm/dd/yyyy. The format is made when the first time is written, for a slow phone
 * takes 150 ms, or the zone has changed.
 */
export function partsOf(at: Date | number): Partial<Record<Part, string>> {
  const zone = operatorZone();
  if (made?.zone !== zone) made = { zone, format: formatIn(zone) };
  return Object.fromEntries(made.format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** "hh:mm:ss" from whole seconds since the epoch. */
export function formatClock(seconds: number): string {
  const { hour, minute, second } = partsOf(seconds * 1000);
  return `${hour}:${minute}:${second}`;
}
