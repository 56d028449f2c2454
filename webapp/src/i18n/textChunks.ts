/**
 * The texts of a language are two chunks of its folder: home and the rooms need `coreTexts`, all
 * other pages `pageTexts` too.
 */
import type { Locale } from "../lib/locales.ts";
import type { CoreTexts } from "./en/coreTexts.ts";
import type { PageTexts } from "./en/pageTexts.ts";

const CORE = import.meta.glob<{ default: CoreTexts }>("./*/coreTexts.ts");
const PAGES = import.meta.glob<{ default: PageTexts }>("./*/pageTexts.ts");

export const importCoreTexts = (locale: Locale) => CORE[`./${locale}/coreTexts.ts`]?.();
export const importPageTexts = (locale: Locale) => PAGES[`./${locale}/pageTexts.ts`]?.();
