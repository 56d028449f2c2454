import { useQuery } from "@tanstack/react-query";
import { currentLocale, type Locale } from "./locale.ts";
import type english from "./messages/rules.en.ts";
import type { SameKeys } from "./types.ts";

export type RulesTexts = { readonly rules: typeof english };

type Loaded = Promise<{ default: SameKeys<typeof english> }>;

/** Long texts that few pages show, apart from those that every start loads. */
const LOADERS = {
  en: () => import("./messages/rules.en.ts"),
  zh: () => import("./messages/rules.zh.ts"),
  tw: () => import("./messages/rules.tw.ts"),
  vi: () => import("./messages/rules.vi.ts"),
  ru: () => import("./messages/rules.ru.ts"),
  my: () => import("./messages/rules.my.ts"),
  ja: () => import("./messages/rules.ja.ts"),
  ko: () => import("./messages/rules.ko.ts"),
} satisfies Record<Locale, () => Loaded>;

/** The texts of the rules in the page's language. */
export function useRulesTexts() {
  return useQuery({
    queryKey: ["texts", "rules"],
    queryFn: async () => (await LOADERS[currentLocale()]()).default as typeof english,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
