import type { Locale } from "./spoken.ts";

/** What home and the rooms say, by language. */
export const FIRST = {
  en: () => import("./first.en.ts"),
  zh: () => import("./first.zh.ts"),
  tw: () => import("./first.tw.ts"),
  vi: () => import("./first.vi.ts"),
  ru: () => import("./first.ru.ts"),
  my: () => import("./first.my.ts"),
  ja: () => import("./first.ja.ts"),
  ko: () => import("./first.ko.ts"),
} as const satisfies Record<Locale, () => Promise<{ default: unknown }>>;
