/** A "day" is the calendar day of the operator's zone, wherever the phone is. */
export const OPERATOR_ZONE = "Asia/Singapore";

/** The first day that the date pickers offer. */
export const FIRST_DAY = "2018-01-01";

/** Made when the first time is written: a slow phone takes 150 ms for it. */
function once(make: () => Intl.DateTimeFormat): () => Intl.DateTimeFormat {
  let made: Intl.DateTimeFormat | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const dayFormat = once(
  () =>
    new Intl.DateTimeFormat("en-CA", {
      timeZone: OPERATOR_ZONE,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    }),
);

/** yyyy-mm-dd in the operator's zone. */
export function dayOf(at: Date | number = new Date()): string {
  return dayFormat().format(at);
}

/** What a date field holds, or today when it holds nothing. */
export function orToday(day: string): string {
  return day === "" ? dayOf() : day;
}

const timeFormat = once(
  () =>
    new Intl.DateTimeFormat("en-GB", {
      timeZone: OPERATOR_ZONE,
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
);

/** "yyyy-mm-dd hh:mm:ss" from whole seconds since the epoch. */
export function formatTime(seconds: number): string {
  return `${dayOf(seconds * 1000)} ${timeFormat().format(seconds * 1000)}`;
}

/** "hh:mm:ss" from whole seconds since the epoch. */
export function formatClock(seconds: number): string {
  return timeFormat().format(seconds * 1000);
}

/** A moment to come, with its zone: "Nov 23, 2026, 14:05 GMT+8" from whole seconds. */
export function formatMoment(seconds: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone: OPERATOR_ZONE,
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(seconds * 1000);
}
