import { useMemo } from "react";
import { useLocale, useTranslations } from "use-intl";
import { formatMoney, formatSigned } from "../../lib/money.ts";
import { isBaseKind, isSumKind } from "./model/kinds.ts";

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
    if (!isBaseKind(kind)) return { name: kind, plain: kind };
    return { name: t(`finance.${kind}`), plain: t(`kinds.${kind}`) };
  };
}

/** "Long (Big)", one word where both are the same, "Sum 9" for a sum. */
export function useKindText(): (kind: string) => string {
  const t = useTranslations("common");
  const words = useKindWords();
  return (kind) => {
    if (isSumKind(kind)) return `${t("sum")} ${kind}`;
    const { name, plain } = words(kind);
    return name === plain ? plain : `${name} (${plain})`;
  };
}

/** Figures in the page's language: minor units with two decimals, whole u, percents. */
export function useFigures() {
  const locale = useLocale();
  return useMemo(() => {
    const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
    const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
    return {
      money: (minor: number) => formatMoney(minor / 100, locale),
      signed: (minor: number) => formatSigned(minor / 100, locale),
      units: (u: number) => whole.format(u),
      percent: (value: number) => percent.format(value / 100),
    };
  }, [locale]);
}
