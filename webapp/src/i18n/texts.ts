/**
 * The texts of one language come in two chunks: `first` is what home and the rooms say, `later`
 * what all other pages do. Choosing a language reloads the app, so that one language is loaded.
 */
import { create } from "zustand";
import type { FirstTexts } from "./first.en.ts";
import { FIRST } from "./firstTexts.ts";
import type { LaterTexts } from "./later.en.ts";
import { currentLocale, type Locale } from "./locale.ts";

export type EnglishTexts = FirstTexts & LaterTexts;

type Chunk = () => Promise<{ default: unknown }>;

const LATER = {
  en: () => import("./later.en.ts"),
  zh: () => import("./later.zh.ts"),
  tw: () => import("./later.tw.ts"),
  vi: () => import("./later.vi.ts"),
  ru: () => import("./later.ru.ts"),
  my: () => import("./later.my.ts"),
  ja: () => import("./later.ja.ts"),
  ko: () => import("./later.ko.ts"),
} as const satisfies Record<Locale, Chunk>;

interface Texts {
  /** Holds everything only once `complete`; whoever shows a later section waits for that. */
  texts: EnglishTexts;
  complete: boolean;
}

export const useTexts = create<Texts>()(() => ({ texts: {} as EnglishTexts, complete: false }));

let asked: Promise<void> | undefined;

/** What must be there before anything is shown. */
export async function loadFirstTexts(): Promise<void> {
  const { default: first } = await FIRST[currentLocale()]();
  useTexts.setState(({ texts }) => ({ texts: { ...texts, ...(first as FirstTexts) } }));
}

/** The rest, once; asked again only after a failure. */
export function loadLaterTexts(): Promise<void> {
  asked ??= addLater().catch((error: unknown) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

async function addLater(): Promise<void> {
  const { default: later } = await LATER[currentLocale()]();
  useTexts.setState(({ texts }) => ({
    texts: { ...texts, ...(later as LaterTexts) },
    complete: true,
  }));
}
