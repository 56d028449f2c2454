import { useSettings } from "../lib/settings.ts";

/** Languages that have texts. Their codes are those of the wire as well. */
export const LOCALES = ["en", "zh"] as const;
export type Locale = (typeof LOCALES)[number];

/** BCP 47 tags, for Intl and the document. */
export const TAGS = { en: "en", zh: "zh-Hans" } as const satisfies Record<Locale, string>;

/** The first of the phone's languages that we speak, else English. */
export function systemLocale(languages: readonly string[]): Locale {
  for (const language of languages) {
    const found = LOCALES.find((locale) => language.toLowerCase().split("-")[0] === locale);
    if (found !== undefined) return found;
  }
  return "en";
}

export function currentLocale(): Locale {
  const { locale } = useSettings.getState();
  if (locale !== "system") return locale;
  return systemLocale(typeof navigator === "undefined" ? [] : navigator.languages);
}

/** `lang` of every call. */
export const wireLanguage = (): string => currentLocale();
