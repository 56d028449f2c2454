/** Three digits and their sum, as balls show them. */
export interface Drawn {
  digits: [number, number, number];
  sum: number;
}

/** Reads "5 8 2 15"; null where there is no draw yet. */
export function parseCode(code: string): Drawn | null {
  const [a, b, c, sum, ...rest] = code.trim().split(/\s+/).map(Number);
  if (a === undefined || b === undefined || c === undefined || sum === undefined) return null;
  if (rest.length > 0 || [a, b, c, sum].some((part) => !Number.isInteger(part))) return null;
  return { digits: [a, b, c], sum };
}
