import { operatorTimezone, partsOf } from "./dates.ts";

/**
 * The order of each language: Year, Month as a Number or Name, Day, Clock and Zone. Ours,
 * because browsers differ. A line breaks only between the day and the clock (U+2060 joins
 * a number and its unit).
 */
const ORDERS: Readonly<Record<string, string>> = {
  zh: "Y\u2060年\u2060M\u2060月\u2060D\u2060日 C\u2060（Z）",
  ko: "Y\u2060년\u00a0M\u2060월\u00a0D\u2060일 C\u2060(Z)",
  vi: "C\u00a0(Z) ngày\u00a0D/M/Y",
  ru: "D\u00a0N\u00a0Y\u00a0г., C\u00a0Z",
  ms: "D\u00a0N\u00a0Y, C\u00a0Z",
};
const ENGLISH = "N\u00a0D,\u00a0Y, C\u00a0Z";

/** A future time with its zone: "Nov 23, 2026, 14:05 GMT+8" from whole seconds. */
export function formatDateTime(seconds: number, locale: string): string {
  const at = seconds * 1000;
  const said = new Intl.DateTimeFormat(locale, {
    timeZone: operatorTimezone(),
    month: "short",
    day: "numeric",
    timeZoneName: "shortOffset",
  }).formatToParts(at);
  const { year, month, day, hour, minute } = partsOf(at);
  const words: Readonly<Record<string, string | undefined>> = {
    Y: year,
    M: `${Number(month)}`,
    N: said.find(({ type }) => type === "month")?.value,
    D: `${Number(day)}`,
    C: `${hour}:${minute}`,
    Z: said.find(({ type }) => type === "timeZoneName")?.value,
  };
  const order = ORDERS[locale.slice(0, 2).replace("ja", "zh")] ?? ENGLISH;
  return order.replace(/[YMNDCZ]/g, (sign) => words[sign] ?? "");
}
