import type { CSSProperties } from "react";

/** A colour of one's own, from the name. */
export function hueStyle(name: string): CSSProperties {
  const hue = hueOf(name);
  return { background: `linear-gradient(140deg, hsl(${hue} 38% 38%), hsl(${hue + 50} 42% 27%))` };
}

function hueOf(name: string): number {
  return Array.from(name).reduce((hue, sign) => (hue * 31 + (sign.codePointAt(0) ?? 0)) % 360, 7);
}
