import { useTranslations } from "use-intl";
import { isNamedKind } from "../lib/betKinds.ts";

/** A bet kind's plain name in the page's language; a sum is its own name. */
export function useBetName(): (kind: string) => string {
  const t = useTranslations("common.kinds");
  return (kind) => (isNamedKind(kind) ? t(kind) : kind);
}

export interface BetNames {
  /** The investment-style name. */
  readonly name: string;
  /** The plain name. */
  readonly plain: string;
}

/** Both names of a bet; a sum has only itself. */
export function useBetNames(): (kind: string) => BetNames {
  const t = useTranslations("common");
  return (kind) => {
    if (!isNamedKind(kind)) return { name: kind, plain: kind };
    return { name: t(`finance.${kind}`), plain: t(`kinds.${kind}`) };
  };
}

/** "Long (Big)", one word where both are the same, "Sum 9" for a sum. */
export function useBetText(): (kind: string) => string {
  const t = useTranslations("common");
  const words = useBetNames();
  return (kind) => {
    const { name, plain } = words(kind);
    if (!isNamedKind(kind)) return /^\d+$/.test(kind) ? `${t("sum")} ${kind}` : kind;
    return name === plain ? plain : t("bothNames", { name, plain });
  };
}
