import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { preprocessCSS, resolveConfig } from "vite";
import { expect, test } from "vitest";
import { shortClassName } from "./classNames.ts";

const SOURCE = resolve(import.meta.dirname, "../src");

/** The styles of the app's modules as a build has them, one text a file. */
async function builtStyles(): Promise<string[]> {
  const modules = { generateScopedName: shortClassName };
  const config = await resolveConfig({ configFile: false, css: { modules } }, "build");
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
  const styles = files.filter((name) => name.endsWith(".module.css"));
  return Promise.all(
    styles.map(async (file) => {
      const path = join(SOURCE, file);
      return (await preprocessCSS(readFileSync(path, "utf8"), path, config)).code;
    }),
  );
}

function keyframesOf(css: string): string[] {
  return [...css.matchAll(/@keyframes\s+([\w-]+)/g)].map(([, name = ""]) => name);
}

function repeated(names: readonly string[]): string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}

test("no two keyframes of the app share a name in a build", async () => {
  const keyframes = (await builtStyles()).flatMap(keyframesOf);
  expect(keyframes.length).toBeGreaterThan(10);
  expect(repeated(keyframes)).toEqual([]);
});

test("every animation in a build plays keyframes of its own file, or one of the whole app's", async () => {
  const shared = readFileSync(join(SOURCE, "components/tokens.css"), "utf8");
  expect(shared).toContain("--turn: spin ");
  expect(keyframesOf(readFileSync(join(SOURCE, "components/base.css"), "utf8"))).toEqual(["spin"]);
  for (const css of await builtStyles()) {
    const known = [...keyframesOf(css), "var(--turn)", "none"];
    for (const [, value = ""] of css.matchAll(/animation(?:-name)?\s*:([^;}]+)/g)) {
      expect(value.split(/[\s,]+/).filter((word) => known.includes(word))).toHaveLength(1);
    }
  }
});

test("a name that the style sheet does not define fails the build", () => {
  expect(() => shortClassName("missing", "/x/src/a.module.css", ".other {}")).toThrow("missing");
});

test("two files, or two names of one file, have different built names", () => {
  const css = ".open {} .opened {} @keyframes open-up {} @keyframes opening {}";
  const names = ["open", "opened", "open-up", "opening"].flatMap((name) => [
    shortClassName(name, "/x/src/a.module.css", css),
    shortClassName(name, "/x/src/b.module.css", css),
  ]);
  expect(repeated(names)).toEqual([]);
});
