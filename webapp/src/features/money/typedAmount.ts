/**
 * Amounts as a player types them. Apart from lib/minorUnits.ts, which the room loads first, because
 * only the money pages need them.
 */

/** What a field for an amount holds; commas part the cents in half the world. */
const TYPED = /^\d{1,12}(?:[.,]\d{1,2})?$/;

/** Minor units of a typed amount, null if invalid. "1,000" is invalid, because it is ambiguous. */
export function typedMinor(text: string): number | null {
  const plain = text.normalize("NFKC").replace(/\s/g, "");
  if (!TYPED.test(plain)) return null;
  const [whole = "", cents = ""] = plain.split(/[.,]/);
  return Number(whole) * 100 + Number(cents.padEnd(2, "0"));
}

/** The wire's u for an amount in minor units. */
export function unitsOf(minor: number): number {
  return minor / 100;
}

/** An amount as it would be typed: no grouping, no more decimals than it has. */
export function asTyped(minor: number): string {
  return minor % 100 === 0 ? String(minor / 100) : (minor / 100).toFixed(2);
}
