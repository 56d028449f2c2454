import { createHash } from "node:crypto";

const FILE_SIGNS = 4;

/**
 * What a class of a CSS module is called in a build: a few signs of its file, then where it first
 * stands in it. Names that say more would be a fifth of what styles weigh.
 */
export function shortClassName(name: string, path: string, css: string): string {
  const file = path.split("?")[0]?.split("/src/").at(-1) ?? path;
  const hash = createHash("sha256").update(file).digest("hex").slice(0, 12);
  const signs = Number.parseInt(hash, 16).toString(36).slice(-FILE_SIGNS);
  const place = css.search(new RegExp(`\\.${name}(?![\\w-])`));
  return `_${signs}${place.toString(36)}`;
}
