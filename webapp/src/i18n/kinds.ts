import { useTranslations } from "use-intl";

/** The bets that have names, in the order of the product. */
export const namedKinds = [
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
export type NamedKind = (typeof namedKinds)[number];

function isNamed(kind: string): kind is NamedKind {
  return namedKinds.some((named) => named === kind);
}

/** A bet kind's plain name in the page's language; a sum is its own name. */
export function useKindName(): (kind: string) => string {
  const t = useTranslations("common.kinds");
  return (kind) => (isNamed(kind) ? t(kind) : kind);
}

export interface KindWords {
  /** The investment-style name. */
  readonly name: string;
  /** The plain words for it. */
  readonly plain: string;
}

/** Both names of a bet; a sum has only itself. */
export function useKindWords(): (kind: string) => KindWords {
  const t = useTranslations("common");
  return (kind) => {
    if (!isNamed(kind)) return { name: kind, plain: kind };
    return { name: t(`finance.${kind}`), plain: t(`kinds.${kind}`) };
  };
}

/** "Long (Big)", one word where both are the same, "Sum 9" for a sum. */
export function useKindText(): (kind: string) => string {
  const t = useTranslations("common");
  const words = useKindWords();
  return (kind) => {
    const { name, plain } = words(kind);
    if (!isNamed(kind)) return /^\d+$/.test(kind) ? `${t("sum")} ${kind}` : kind;
    return name === plain ? plain : t("bothNames", { name, plain });
  };
}

/** What stands between the kind and the rest in a mark of the ledger, as the server writes it. */
const IN_MARK = " · ";

/** A ledger mark whose bet is named as everywhere else; any other mark as it is. */
export function useMarkText(): (mark: string) => string {
  const t = useTranslations("common.kinds");
  const text = useKindText();
  return (mark) => {
    const at = mark.lastIndexOf(IN_MARK) + IN_MARK.length;
    const named = mark.slice(at);
    const kind = /^\d+$/.test(named) ? named : namedKinds.find((each) => t(each) === named);
    return kind === undefined || at < IN_MARK.length ? mark : mark.slice(0, at) + text(kind);
  };
}
