import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { LOCALES } from "../src/lib/locales.ts";

const WEBAPP = resolve(import.meta.dirname, "..");
const TEXTS = join(WEBAPP, "src/i18n");
/** Of what a page of one language loads, in bytes. */
const BUDGET = 60_000;
const FIGURES = "0123456789 .,:%+−–…·×()/";
const LETTER = /\p{Script=Latin}|\p{Script=Cyrillic}/u;

interface Face {
  readonly bytes: number;
  readonly holds: (sign: number) => boolean;
}

/** The faces of the app's own font, as index.html declares them. */
function faces(): Face[] {
  const page = readFileSync(join(WEBAPP, "index.html"), "utf8");
  const blocks = page.match(/@font-face \{[^}]*\}/g) ?? [];
  return blocks
    .filter((block) => block.includes("unicode-range"))
    .map((block) => {
      const file = /url\("([^"]+)"\)/.exec(block)?.[1] ?? "";
      const ranges = /unicode-range:([^;]+)/.exec(block)?.[1] ?? "";
      const spans = [...ranges.matchAll(/U\+([\dA-F]+)(?:-([\dA-F]+))?/g)].map(
        ([, from = "", to = from]) => [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const,
      );
      return {
        bytes: statSync(join(WEBAPP, file)).size,
        holds: (sign) => spans.some(([from, to]) => from <= sign && sign <= to),
      };
    });
}

/** Every sign that the app writes in a language, and those of figures. */
function signsOf(language: string): string[] {
  const folder = join(TEXTS, language);
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return [...new Set(text.join("") + FIGURES)];
}

test.each(LOCALES)("the font of a page in %s weighs at most 60 kB", (language) => {
  const signs = signsOf(language).map((sign) => sign.codePointAt(0) ?? 0);
  expect(signs.length).toBeGreaterThan(50);
  const loaded = faces().filter((face) => signs.some(face.holds));
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded.reduce((sum, face) => sum + face.bytes, 0)).toBeLessThanOrEqual(BUDGET);
});

test("the font has every Latin, Vietnamese and Cyrillic letter of the app's texts", () => {
  const own = faces();
  const letters = LOCALES.flatMap(signsOf).filter((sign) => LETTER.test(sign));
  const lacking = letters.filter(
    (sign) => !own.some((face) => face.holds(sign.codePointAt(0) ?? 0)),
  );
  expect([...new Set(lacking)]).toEqual([]);
});

test("the font's licence is served with it", () => {
  const packaged = join(WEBAPP, "node_modules/@fontsource-variable/noto-sans/LICENSE");
  const served = join(WEBAPP, "public/fonts/NotoSans-OFL.txt");
  expect(readFileSync(served, "utf8")).toBe(readFileSync(packaged, "utf8"));
});
