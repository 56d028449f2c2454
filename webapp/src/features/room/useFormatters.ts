import { useMemo } from "react";
import { useLocale } from "use-intl";
import { formatMoney, formatOdds, formatSigned, formatUnits } from "../../lib/money.ts";
import type { ClosedReason } from "./phase.ts";

/** Message keys of a closed room, below `room`. */
export const CLOSED_TEXT = {
  hours: "closedNotice",
  hall: "hallNotice",
  discontinued: "discontinued",
} as const satisfies Record<ClosedReason, string>;

/**
 * Number formats of the page's language: minor units with two decimals, whole u, odds, percents.
 */
export function useFormatters() {
  const locale = useLocale();
  return useMemo(
    () => ({
      money: (minor: number) => formatMoney(minor / 100, locale),
      signed: (minor: number) => formatSigned(minor / 100, locale),
      units: (u: number) => formatUnits(u, locale),
      odds: (milli: number) => formatOdds(milli / 1000, locale),
      percent: (value: number) => percents(locale).format(value / 100),
    }),
    [locale],
  );
}

const percents = (locale: string) =>
  new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
