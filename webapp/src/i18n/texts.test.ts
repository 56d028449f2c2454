import compile from "icu-minify/compile";
import { expect, test } from "vitest";
import { LANGUAGES, LOCALES, type Locale, systemLocale, tagOf } from "../lib/locales.ts";
import { importCoreTexts, importPageTexts } from "./textChunks.ts";

type Texts = { readonly [key: string]: string | Texts };

function leaves(texts: Texts, path = ""): [string, string][] {
  return Object.entries(texts).flatMap(([key, text]): [string, string][] =>
    typeof text === "string" ? [[path + key, text]] : leaves(text, `${path}${key}.`),
  );
}

/** Names of a compiled message's arguments, those within the arms of a plural too. */
function placeholders(compiled: unknown): string[] {
  if (typeof compiled !== "object" || compiled === null) return [];
  if (!Array.isArray(compiled)) return Object.values(compiled).flatMap(placeholders);
  const [name, type] = compiled;
  const isArgument =
    typeof name === "string" && (compiled.length === 1 || (typeof type === "number" && type > 0));
  return [...(isArgument ? [name] : []), ...compiled.flatMap(placeholders)];
}

function placeholdersOf(text: string): string[] {
  return [...new Set(placeholders(compile(text)))].sort();
}

/** The words of a compiled message, without its arguments. */
function wordsOf(compiled: unknown): string[] {
  if (typeof compiled === "string") return [compiled];
  if (!Array.isArray(compiled)) return [];
  return compiled.flatMap((node: unknown) => {
    if (!Array.isArray(node)) return wordsOf(node);
    const [, , arms] = node;
    return typeof arms === "object" && arms !== null ? Object.values(arms).flatMap(wordsOf) : [];
  });
}

/** What a text says besides names of our own. */
function saidIn(text: string): string {
  return wordsOf(compile(text))
    .join("\n")
    .replace(/Fairdraw|VIP|USDT/g, "");
}

/** What every language says as English does: a mark of the specification. */
const SHARED_BY_ALL = ["--END--"];
/** What one language says as English does, in its folder: loanwords and names. */
const SHARED = import.meta.glob<readonly string[]>("./*/sameAsEnglish.ts", {
  eager: true,
  import: "default",
});
const LATIN_WORDS = /[a-z]{2,}\s+[a-z]{2,}/i;

/** All texts of each language; a language without a folder has none. */
const TEXTS = await Promise.all(
  LOCALES.map(async (locale) => {
    const chunks = await Promise.all([importCoreTexts(locale), importPageTexts(locale)]);
    const texts: Texts = Object.assign({}, ...chunks.map((chunk) => chunk?.default));
    return [locale, texts] as const;
  }),
);
const TRANSLATIONS = TEXTS.filter(([locale]) => locale !== "en");

const inEnglish = new Map(
  TEXTS.flatMap(([locale, texts]) => (locale === "en" ? leaves(texts) : [])),
);
const translated = TRANSLATIONS.map(([locale, texts]) => [locale, new Map(leaves(texts))] as const);
const everyText = [inEnglish, ...translated.map(([, texts]) => texts)].flatMap((texts) => [
  ...texts.values(),
]);

test.each(translated)("%s has the keys of English", (_, texts) => {
  expect([...texts.keys()].sort()).toEqual([...inEnglish.keys()].sort());
});

test.each(translated)("%s has the placeholders of English in each text", (_, texts) => {
  const differing = [...inEnglish].filter(
    ([key, text]) => placeholdersOf(text).join() !== placeholdersOf(texts.get(key) ?? "").join(),
  );
  expect(differing).toEqual([]);
});

test.each(TRANSLATIONS)("no English is left in %s", (locale, texts) => {
  const ownScript = !/\p{Script=Latin}/u.test(LANGUAGES[locale].name);
  const shared = new Set([...SHARED_BY_ALL, ...(SHARED[`./${locale}/sameAsEnglish.ts`] ?? [])]);
  const left = leaves(texts).filter(([key, text]) => {
    const said = saidIn(text);
    const same = text === inEnglish.get(key) && /[a-z]{2,}/i.test(said);
    return !shared.has(text) && (same || (ownScript && LATIN_WORDS.test(said)));
  });
  expect(left).toEqual([]);
});

/** Codes of ISO 15924 that stand for several scripts. */
const SCRIPTS_OF: Readonly<Record<string, readonly string[]>> = {
  Hans: ["Hani"],
  Hant: ["Hani"],
  Jpan: ["Hani", "Hira", "Kana"],
  Kore: ["Hang", "Hani"],
};

/** A letter that is neither Latin nor of the language's own script. */
function foreignLetter(locale: Locale): RegExp {
  const script = new Intl.Locale(tagOf(locale)).maximize().script ?? "Latn";
  const own = [...(SCRIPTS_OF[script] ?? [script]), "Latn"];
  return new RegExp(`[^\\P{L}${own.map((one) => `\\p{scx=${one}}`).join("")}]`, "u");
}

test.each(TRANSLATIONS)("no other script is left in %s", (locale, texts) => {
  const letter = foreignLetter(locale);
  expect(leaves(texts).filter(([, text]) => letter.test(text))).toEqual([]);
});

test("placeholders are found in arguments and in plural arms", () => {
  expect(placeholdersOf("{a} {n, plural, one {Cost} other {# of {b, number}}}")).toEqual([
    "a",
    "b",
    "n",
  ]);
});

test("every text compiles and none is empty", () => {
  for (const text of everyText) {
    expect(text).not.toBe("");
    expect(() => compile(text)).not.toThrow();
  }
});

/** Each language's words that would promise a profit, in its folder. */
const PROMISES = import.meta.glob<RegExp>("./*/promises.ts", { eager: true, import: "default" });

test("no text promises a profit", () => {
  const folders = TEXTS.map(([locale]) => `./${locale}/promises.ts`);
  expect(Object.keys(PROMISES).sort()).toEqual(folders.sort());
  for (const promise of Object.values(PROMISES)) {
    for (const text of everyText) expect(text).not.toMatch(promise);
  }
});

/** Reserved for private use: the app never speaks it. */
const NOT_SPOKEN = "qaa";

test("the phone's first language that we speak is taken, else traditional Chinese", () => {
  expect(systemLocale([NOT_SPOKEN, "zh-CN", "en"])).toBe("zh");
  expect(systemLocale(["en-GB", "zh"])).toBe("en");
  expect(systemLocale([NOT_SPOKEN, `${NOT_SPOKEN}-CH`])).toBe("tw");
  expect(systemLocale(["zh-TW"])).toBe("tw");
  expect(systemLocale(["zh-Hant-HK"])).toBe("tw");
  expect(systemLocale(["zh-Hans-TW"])).toBe("zh");
  expect(systemLocale(["ms-MY"])).toBe("my");
});
