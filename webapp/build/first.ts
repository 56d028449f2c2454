import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)(?:[\w\s{},*]*\sfrom\s)?"(\.[^"]+)"/gm;

/** What a file of ours draws in at once: itself and its imports, those of types and lazy ones not. */
export function drawnIn(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  if (!/\.tsx?$/.test(file)) return found;
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(STATIC_IMPORT)) {
    drawnIn(join(dirname(file), path), found);
  }
  return found;
}

/** Files that at least two of several beginnings draw in. */
export function shared(beginnings: readonly string[]): Set<string> {
  const drawn = beginnings.map((file) => drawnIn(file));
  const all = new Set(drawn.flatMap((files) => [...files]));
  return new Set([...all].filter((file) => drawn.filter((files) => files.has(file)).length > 1));
}
