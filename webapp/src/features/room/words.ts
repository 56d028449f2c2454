import { useMemo } from "react";
import { useLocale } from "use-intl";
import { formatMoney, formatSigned } from "../../lib/money.ts";

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
