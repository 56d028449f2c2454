import compile from "icu-minify/compile";
import { expect, test } from "vitest";
import { systemLocale } from "./locale.ts";
import { planParts } from "./names.ts";
import english from "./texts.ts";
import chinese from "./texts.zh.ts";

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

const inEnglish = new Map(leaves(english));
const inChinese = new Map(leaves(chinese));

test("both languages have the same keys", () => {
  expect([...inChinese.keys()].sort()).toEqual([...inEnglish.keys()].sort());
});

test("each text has the same placeholders in both languages", () => {
  const differing = [...inEnglish].filter(
    ([key, text]) =>
      placeholdersOf(text).join() !== placeholdersOf(inChinese.get(key) ?? "").join(),
  );
  expect(differing).toEqual([]);
});

test("placeholders are found in arguments and in plural arms", () => {
  expect(placeholdersOf("{a} {n, plural, one {Cost} other {# of {b, number}}}")).toEqual([
    "a",
    "b",
    "n",
  ]);
});

test("every text compiles and none is empty", () => {
  for (const text of [...inEnglish.values(), ...inChinese.values()]) {
    expect(text).not.toBe("");
    expect(() => compile(text)).not.toThrow();
  }
});

test("no text promises a profit", () => {
  const promises = /guarantee|sure win|risk.?free|稳赚|必中|保证盈利|包赢/i;
  for (const text of [...inEnglish.values(), ...inChinese.values()]) {
    expect(text).not.toMatch(promises);
  }
});

test("the phone's first language that we speak is taken, else English", () => {
  expect(systemLocale(["fr-FR", "zh-CN", "en"])).toBe("zh");
  expect(systemLocale(["en-GB", "zh"])).toBe("en");
  expect(systemLocale(["ru"])).toBe("en");
});

test("a plan's number tells its level and hall", () => {
  expect(planParts(1)).toEqual({ vip: 1, tier: 0 });
  expect(planParts(9)).toEqual({ vip: 3, tier: 2 });
  expect(planParts(14)).toEqual({ vip: 2, tier: 1 });
});
