import { LANGUAGES } from "./locales.ts";

/**
 * Numbers are formatted here rather than by Intl, whose first use costs a slow phone 150 ms
 * before the first page. The tests compare every language with Intl.
 */

const ENGLISH = [",", "."] as const;
/** Between thousands and before the decimals, by language tag. */
const MARKS: ReadonlyMap<string, readonly [string, string]> = new Map(
  Object.values(LANGUAGES).map((language) => [
    language.tag,
    "marks" in language ? language.marks : ENGLISH,
  ]),
);

function localized(digits: string, locale: string): string {
  const [between, before] = MARKS.get(locale) ?? ENGLISH;
  const [whole = "", decimals] = digits.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, between);
  return decimals === undefined ? grouped : grouped + before + decimals;
}

/** Rounded to `decimals` places, without trailing zeros. */
function withoutZeros(figure: number, decimals: number, locale: string): string {
  return localized(figure.toFixed(decimals).replace(/\.?0+$/, ""), locale);
}

/** u with two decimals, without a sign: "1,234.50". */
export function formatMoney(u: number, locale = "en"): string {
  return localized(Math.abs(u).toFixed(2), locale);
}

/** u, not below zero, with no more decimals than it has, two at most: "1,234", "1,234.5". */
export function formatUnits(u: number, locale = "en"): string {
  return withoutZeros(u, 2, locale);
}

/** Odds with up to three decimals, none of them needless: "1.98", "3.8", "11". */
export function formatOdds(odds: number, locale = "en"): string {
  return withoutZeros(odds, 3, locale);
}

/** The sign to write before a figure that rises or falls; nothing before zero. */
export function signOf(u: number): "+" | "−" | "" {
  if (u > 0) return "+";
  return u < 0 ? "−" : "";
}

/** With its sign: "+12.00", "−3.50", "0.00". */
export function formatSigned(u: number, locale = "en"): string {
  return signOf(u) + formatMoney(u, locale);
}
