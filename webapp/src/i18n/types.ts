import type { TAGS } from "./locale.ts";
import type { EnglishTexts } from "./texts.ts";

/** The shape of a translation: the same keys, any words. */
export type SameKeys<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string ? string : SameKeys<Texts[Key]>;
};

declare module "use-intl" {
  interface AppConfig {
    Messages: EnglishTexts;
    Locale: (typeof TAGS)[keyof typeof TAGS];
  }
}
