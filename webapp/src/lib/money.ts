const formats = new Map<string, Intl.NumberFormat>();

function moneyFormat(locale: string): Intl.NumberFormat {
  const known = formats.get(locale);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  formats.set(locale, made);
  return made;
}

/** u with two decimals, without a sign: "1,234.50". */
export function formatMoney(u: number, locale = "en"): string {
  return moneyFormat(locale).format(Math.abs(u));
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
