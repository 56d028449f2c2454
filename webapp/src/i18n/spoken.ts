import type { LocaleChoice } from "../lib/storedSettings.ts";

/** The eight languages, in the order they are offered. Their codes are those of the wire as well. */
export const LOCALES = ["en", "zh", "tw", "vi", "ru", "my", "ja", "ko"] as const;
export type Locale = (typeof LOCALES)[number];

/** BCP 47 tags, for Intl and the document. `my` is Malay here; to a browser that is Burmese. */
export const TAGS = {
  en: "en",
  zh: "zh-Hans",
  tw: "zh-Hant",
  vi: "vi",
  ru: "ru",
  my: "ms",
  ja: "ja",
  ko: "ko",
} as const satisfies Record<Locale, string>;

const TRADITIONAL = /^zh-(hant|tw|hk|mo)\b/i;

function spokenBy(language: string): Locale | undefined {
  const [spoken] = language.toLowerCase().split("-");
  if (spoken === "zh") return TRADITIONAL.test(language) ? "tw" : "zh";
  return LOCALES.find((locale) => TAGS[locale] === spoken);
}

/** The first of the phone's languages that we speak, else traditional Chinese, the specification's default. */
export function systemLocale(languages: readonly string[]): Locale {
  for (const language of languages) {
    const found = spokenBy(language);
    if (found !== undefined) return found;
  }
  return "tw";
}

/** The language that a member chose, or the phone's. */
export function localeOf(choice: LocaleChoice): Locale {
  if (choice !== "system") return choice;
  return systemLocale(typeof navigator === "undefined" ? [] : navigator.languages);
}
