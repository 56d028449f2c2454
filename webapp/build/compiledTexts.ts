import { pathToFileURL } from "node:url";
import compile from "icu-minify/compile";
import type { Plugin } from "vite";

type Texts = { readonly [key: string]: string | Texts };
type Compiled = { [key: string]: unknown };

/** Every leaf of a message tree as icu-minify's compact form, which needs no ICU parser to show. */
export function compileTexts(texts: Texts): Compiled {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === "string" ? compile(text) : compileTexts(text),
    ]),
  );
}

/**
 * A file of texts in a language's folder; the two chunk files next to it only import such files.
 */
const TEXT_FILE = /\/i18n\/[a-z]+\/(?!coreTexts|pageTexts)\w+\.ts$/;

/**
 * Compiles the texts while building, so that no page loads the 15 kB of their parser. The files are
 * TypeScript, because `as const` gives use-intl the literal types by which a missing argument is a
 * compile error; Node strips such types by itself.
 */
export function compiledTexts(): Plugin {
  return {
    name: "fairdraw-texts",
    enforce: "pre",
    async load(id) {
      const path = id.split("?")[0] ?? id;
      if (!TEXT_FILE.test(path)) return null;
      const module: { default: Texts } = await import(`${pathToFileURL(path)}?at=${Date.now()}`);
      return `export default ${JSON.stringify(compileTexts(module.default))}`;
    },
  };
}
