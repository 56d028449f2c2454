import { useSettings } from "../lib/settings.ts";
import { type Locale, localeOf } from "./spoken.ts";

export * from "./spoken.ts";

export const currentLocale = (): Locale => localeOf(useSettings.getState().locale);

/** `lang` of every call. */
export const wireLanguage = (): string => currentLocale();
