import type { ReactNode } from "react";
import { IntlProvider } from "use-intl";
import { OPERATOR_ZONE } from "../lib/dates.ts";
import { currentLocale, type Locale, TAGS } from "./locale.ts";
import type { EnglishTexts } from "./texts.ts";

/** The texts of one language; each is a chunk of its own. */
export async function loadTexts(locale: Locale): Promise<EnglishTexts> {
  if (locale === "zh") return (await import("./texts.zh.ts")).default as EnglishTexts;
  return (await import("./texts.ts")).default;
}

/** Choosing a language reloads the page, so that one language is loaded at a time. */
export function I18n({ texts, children }: { texts: EnglishTexts; children: ReactNode }) {
  return (
    <IntlProvider locale={TAGS[currentLocale()]} messages={texts} timeZone={OPERATOR_ZONE}>
      {children}
    </IntlProvider>
  );
}
