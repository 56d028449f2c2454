/**
 * RFC 8785 canonical JSON for what our records hold: strings, whole numbers, lists and objects.
 * Throws TypeError for anything else, which no record that was hashed can have held.
 */
export function canonical(value: unknown): string {
  if (typeof value === "string" || Number.isSafeInteger(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) throw new TypeError("no canonical form");
  // Sorted as JavaScript sorts strings, by their UTF-16 units: as the RFC asks.
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const written = fields.map(([name, held]) => `${JSON.stringify(name)}:${canonical(held)}`);
  return `{${written.join(",")}}`;
}
