import { createHash } from "node:crypto";

const FILE_SIGNS = 4;

/**
 * The name of a CSS module's class or keyframes in a build: a short hash of its file, then the
 * offset of its first occurrence there. Longer names would be a fifth of the weight of the styles.
 *
 * Keyframes of one file need different names as classes do: the last of a name replaces the others.
 */
export function shortClassName(name: string, path: string, css: string): string {
  const file = path.split("?")[0]?.split("/src/").at(-1) ?? path;
  const hash = createHash("sha256").update(file).digest("hex").slice(0, 12);
  const signs = Number.parseInt(hash, 16).toString(36).slice(-FILE_SIGNS);
  const place = css.search(new RegExp(`(?:\\.|@keyframes\\s+)${name}(?![\\w-])`));
  if (place < 0) throw new Error(`${file} does not define ${name}`);
  return `_${signs}${place.toString(36)}`;
}
