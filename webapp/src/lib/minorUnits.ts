/**
 * Money and odds as integers: minor units (100 = 1u) and thousandths.
 *
 * The wire writes decimals; they are read by their digits, never multiplied as
 * floats, so that 0.29 is 29 and not 28.999….
 */

const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?$/;

function scaled(value: number | string, places: number): number | null {
  const match = DECIMAL.exec(String(value).trim());
  if (!match) return null;
  const fraction = (match[3] ?? "").slice(0, places).padEnd(places, "0");
  const digits = Number(`${match[2]}${fraction}`);
  return match[1] === "-" && digits !== 0 ? -digits : digits;
}

/** Minor units of an amount in u; an unreadable amount counts as nothing. */
export function minorFromWire(value: number | string): number {
  return scaled(value, 2) ?? 0;
}

/** Thousandths of odds; unreadable odds count as zero, which pays nothing. */
export function milliFromWire(value: number | string): number {
  return scaled(value, 3) ?? 0;
}

/** A stake as typed: whole u, or null when it is anything else. */
export function wholeUnits(text: string): number | null {
  const trimmed = text.trim();
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : null;
}

export function minorFromUnits(units: number): number {
  return units * 100;
}
