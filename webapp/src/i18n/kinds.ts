import { useTranslations } from "use-intl";

const NAMED = [
  "big",
  "small",
  "odd",
  "even",
  "big_odd",
  "big_even",
  "small_odd",
  "small_even",
  "extreme_big",
  "extreme_small",
] as const;
export type NamedKind = (typeof NAMED)[number];

function isNamed(kind: string): kind is NamedKind {
  return NAMED.some((named) => named === kind);
}

/** A bet kind's name in the page's language; a sum is its own name. */
export function useKindName(): (kind: string) => string {
  const t = useTranslations("common.kinds");
  return (kind) => (isNamed(kind) ? t(kind) : kind);
}
