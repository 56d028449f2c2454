/** Digits of a security code. */
export const CODE_LENGTH = 6;

/** What stands there after a key: a digit more, the last one less, or the same. A full code begins anew. */
export function codeTyped(before: string, key: string): string {
  if (key === "Backspace") return before.slice(0, -1);
  if (!/^[0-9]$/.test(key)) return before;
  return before.length >= CODE_LENGTH ? key : before + key;
}
