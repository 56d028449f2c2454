import { type Locale, localeOf } from "../lib/locales.ts";
import { useSettings } from "../lib/settings.ts";

export const currentLocale = (): Locale => localeOf(useSettings.getState().locale);

/** `lang` of every call. */
export const wireLanguage = (): string => currentLocale();
