import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)(?:[\w\s{},*]*\sfrom\s)?"(\.[^"]+)"/gm;

/** A file of ours and its static imports, recursively; without type imports and lazy imports. */
export function staticClosure(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  if (!/\.tsx?$/.test(file)) return found;
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(STATIC_IMPORT)) {
    staticClosure(join(dirname(file), path), found);
  }
  return found;
}

export interface Group {
  readonly name: string;
  readonly test: (id: string) => boolean;
}

/** The entry files of a first load. */
export interface EntryFiles {
  readonly preload: string;
  readonly main: string;
  readonly home: string;
  readonly room: string;
}

/**
 * Groups the modules of a first load into few files, which compress better: `early` is what the
 * script that preloads needs, `kit` the app around the pages and the shared modules of home,
 * `common` the shared modules of the room, `room` its own. The entry files stay chunks of their own
 * names.
 */
export function firstLoadGroups({ preload, main, home, room }: EntryFiles): Group[] {
  const [early, around, atHome, inRoom] = [preload, main, home, room].map((file) =>
    staticClosure(file),
  ) as [Set<string>, Set<string>, Set<string>, Set<string>];
  const entryFiles = new Set([preload, main, home, room]);
  const isBelow = (page: string, file: string) => file.startsWith(`${dirname(page)}/`);
  const group = (name: string, holds: (file: string) => boolean): Group => ({
    name,
    test: (id) => {
      const file = id.split("?")[0] ?? id;
      return !entryFiles.has(file) && holds(file);
    },
  });
  return [
    group("early", (file) => early.has(file) || file.includes("vite/preload-helper")),
    group("kit", (file) => around.has(file) || (atHome.has(file) && !isBelow(home, file))),
    group("common", (file) => inRoom.has(file) && !isBelow(room, file)),
    group("room", (file) => inRoom.has(file)),
  ];
}
