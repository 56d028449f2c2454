import { useMemo } from "react";
import { useLocale } from "use-intl";
import { formatMoney, formatSigned } from "../../lib/money.ts";
import type { Shut } from "./model/shut.ts";

/** What is said of a room that is shut, below `room`. */
export const SHUT_TEXT = {
  hours: "closedNotice",
  hall: "hallNotice",
  discontinued: "discontinued",
} as const satisfies Record<Shut, string>;

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
