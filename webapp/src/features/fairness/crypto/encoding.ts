/** Bytes as WebCrypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>;

export function utf8(text: string): Bytes {
  return Uint8Array.from(new TextEncoder().encode(text));
}

export function joined(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Throws for what is not lower-case hex: a value has one spelling only. */
export function fromHex(text: string): Bytes {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new TypeError("not hex");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Throws for what is not base64 with padding: a value has one spelling only. */
export function fromBase64(text: string): Bytes {
  const read = atob(text);
  if (btoa(read) !== text) throw new TypeError("not base64");
  return Uint8Array.from(read, (unit) => unit.charCodeAt(0));
}

/** Four big-endian bytes. */
export function u32(number: number): Bytes {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

/** Two big-endian bytes of length, then the text in UTF-8. */
export function lp(text: string): Bytes {
  const encoded = utf8(text);
  return joined(Uint8Array.of(encoded.length >> 8, encoded.length & 255), encoded);
}

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
