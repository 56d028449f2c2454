/**
 * The languages in the order they are offered, by their codes on the wire: the tag is BCP 47, for
 * Intl and the document, the name is the language's own. The marks are between thousands and before
 * the decimals, where they are not those of English. To add one, add a line here and a folder of its
 * texts to i18n. `my` is Malay here; to a browser that is Burmese.
 */
export const LANGUAGES = {
  en: { tag: "en", name: "English" },
  zh: { tag: "zh-Hans", name: "简体中文" },
  tw: { tag: "zh-Hant", name: "繁體中文" },
  vi: { tag: "vi", name: "Tiếng Việt", marks: [".", ","] },
  ru: { tag: "ru", name: "Русский", marks: ["\u00a0", ","] },
  my: { tag: "ms", name: "Bahasa Melayu" },
  ja: { tag: "ja", name: "日本語" },
  ko: { tag: "ko", name: "한국어" },
} as const;

export type Locale = keyof typeof LANGUAGES;
/** "system" follows the phone. */
export type LocaleChoice = "system" | Locale;

export const LOCALES = Object.keys(LANGUAGES) as Locale[];

export const tagOf = (locale: Locale) => LANGUAGES[locale].tag;

const TRADITIONAL = /^zh-(hant|tw|hk|mo)\b/i;

function spokenBy(language: string): Locale | undefined {
  const [spoken] = language.toLowerCase().split("-");
  if (spoken === "zh") return TRADITIONAL.test(language) ? "tw" : "zh";
  return LOCALES.find((locale) => tagOf(locale) === spoken);
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
