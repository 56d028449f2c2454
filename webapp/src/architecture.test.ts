import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = import.meta.dirname;
const FILES = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .sort();
/** Files that are part of the app. */
const MODULES = FILES.filter((file) => !/\.test\.tsx?$/.test(file));

/** From the bottom; a folder imports itself and what is below it. */
const FLOORS = ["lib", "i18n", "api", "components", "features", "app"];
/** Which may have the same name in two folders. */
const SHARED_NAMES = ["queries.ts"];

const IMPORTED = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** Paths below src that a file imports. */
function importsOf(file: string, pattern = IMPORTED): string[] {
  return [...textOf(file).matchAll(pattern)].map(([, path = ""]) => join(dirname(file), path));
}

const floorOf = (file: string) => FLOORS.indexOf(file.split("/")[0] ?? "");
const featureOf = (file: string) => /^features\/([^/]+)/.exec(file)?.[1];

function offending(isWrong: (file: string, imported: string) => boolean): string[] {
  return FILES.flatMap((file) =>
    importsOf(file)
      .filter((imported) => isWrong(file, imported))
      .map((imported) => `${file} → ${imported}`),
  );
}

/** Every import circle once, as the files it goes through. */
function circles(importsFrom: (file: string) => readonly string[]): string[] {
  const found = new Set<string>();
  const finished = new Set<string>();
  const follow = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) found.add([...path.slice(at), file].join(" → "));
    if (at >= 0 || finished.has(file)) return;
    for (const imported of importsFrom(file)) follow(imported, [...path, file]);
    finished.add(file);
  };
  for (const file of MODULES) follow(file, []);
  return [...found];
}

test("a feature imports no other feature", () => {
  const isOther = (file: string, imported: string) =>
    featureOf(imported) !== undefined && featureOf(imported) !== featureOf(file);
  expect(offending((file, to) => featureOf(file) !== undefined && isOther(file, to))).toEqual([]);
});

test("imports point down: app, features, components, api, i18n, lib", () => {
  const isUpward = (file: string, imported: string) =>
    !/\.test\.tsx?$/.test(file) && floorOf(file) >= 0 && floorOf(imported) > floorOf(file);
  expect(offending(isUpward)).toEqual([]);
});

test("no import circle, not even one of types", () => {
  const imports = new Map(MODULES.map((file) => [file, importsOf(file)]));
  expect(circles((file) => imports.get(file) ?? [])).toEqual([]);
});

test("a circle is found", () => {
  const [first = "", second = ""] = MODULES;
  const imports = new Map([
    [first, [second]],
    [second, [first]],
  ]);
  expect(circles((file) => imports.get(file) ?? [])).toEqual([`${first} → ${second} → ${first}`]);
});

test("no two files have one name", () => {
  const names = MODULES.filter((file) => !file.startsWith("i18n/")).map((file) => basename(file));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  expect(twice.filter((name) => !SHARED_NAMES.includes(name))).toEqual([]);
});

test("no file that a person wrote is longer than 400 lines", () => {
  const written = FILES.filter((file) => file !== join("api", "schema.d.ts"));
  expect(written.filter((file) => textOf(file).split("\n").length > 401)).toEqual([]);
});
