import type { ReactNode } from "react";
import { IntlProvider } from "use-intl";
import { OPERATOR_ZONE } from "../lib/dates.ts";
import { currentLocale, type Locale, TAGS } from "./locale.ts";
import type { EnglishTexts } from "./texts.ts";

const LOADERS = {
  en: () => import("./texts.ts"),
  zh: () => import("./texts.zh.ts"),
  tw: () => import("./texts.tw.ts"),
  vi: () => import("./texts.vi.ts"),
  ru: () => import("./texts.ru.ts"),
  my: () => import("./texts.my.ts"),
  ja: () => import("./texts.ja.ts"),
  ko: () => import("./texts.ko.ts"),
} as const satisfies Record<Locale, () => Promise<{ default: unknown }>>;

/** The texts of one language; each is a chunk of its own. */
export async function loadTexts(locale: Locale): Promise<EnglishTexts> {
  return (await LOADERS[locale]()).default as EnglishTexts;
}

/** Choosing a language reloads the page, so that one language is loaded at a time. */
export function I18n({ texts, children }: { texts: EnglishTexts; children: ReactNode }) {
  return (
    <IntlProvider locale={TAGS[currentLocale()]} messages={texts} timeZone={OPERATOR_ZONE}>
      {children}
    </IntlProvider>
  );
}
