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

export interface Group {
  readonly name: string;
  readonly test: (id: string) => boolean;
}

/**
 * What a phone needs first, in few files, each compressed as a whole: `kit` is the app around the
 * pages and what home shares with the room, `common` the room's other parts that are not its
 * own, `room` its own. The beginnings themselves stay chunks of their own names.
 */
export function firstGroups(main: string, home: string, room: string): Group[] {
  const [around, atHome, inRoom] = [main, home, room].map((file) => drawnIn(file)) as [
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  const beginnings = new Set([main, home, room]);
  const own = `${dirname(room)}/`;
  const group = (name: string, holds: (file: string) => boolean): Group => ({
    name,
    test: (id) => {
      const file = id.split("?")[0] ?? id;
      return !beginnings.has(file) && holds(file);
    },
  });
  return [
    group("kit", (file) => around.has(file) || (atHome.has(file) && inRoom.has(file))),
    group("common", (file) => inRoom.has(file) && !file.startsWith(own)),
    group("room", (file) => inRoom.has(file)),
  ];
}
