import { create } from "zustand";
import type { LANGUAGES, Locale } from "../lib/locales.ts";
import type { CoreTexts } from "./en/coreTexts.ts";
import type { PageTexts } from "./en/pageTexts.ts";
import { currentLocale } from "./locale.ts";
import { importCoreTexts, importPageTexts } from "./textChunks.ts";

export type AllTexts = CoreTexts & PageTexts;

declare module "use-intl" {
  interface AppConfig {
    Messages: AllTexts;
    Locale: (typeof LANGUAGES)[Locale]["tag"];
  }
}

interface Texts {
  /** Contains the page texts only once `complete`. */
  texts: AllTexts;
  complete: boolean;
}

/** Of one language: choosing another reloads the app. */
export const useTexts = create<Texts>()(() => ({ texts: {} as AllTexts, complete: false }));

/** Loads what must be there before anything is shown. */
export async function loadCoreTexts(): Promise<void> {
  const core = await importCoreTexts(currentLocale());
  useTexts.setState(({ texts }) => ({ texts: { ...texts, ...core?.default } }));
}

let loading: Promise<void> | undefined;

/** Loads the rest once, and again only after a failure. */
export function loadPageTexts(): Promise<void> {
  loading ??= addPageTexts().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function addPageTexts(): Promise<void> {
  const pages = await importPageTexts(currentLocale());
  useTexts.setState(({ texts }) => ({ texts: { ...texts, ...pages?.default }, complete: true }));
}
