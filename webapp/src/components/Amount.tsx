import { useLocale, useTranslations } from "use-intl";
import { classes } from "../lib/classes.ts";
import { formatMoney, formatSigned } from "../lib/money.ts";
import styles from "./Amount.module.css";

interface AmountProps {
  /** In u; null while unknown. */
  value: number | null | undefined;
  /** Write the sign, the colour and, for readers, the word: for what rises and falls. */
  signed?: boolean;
  className?: string | undefined;
}

export function Amount({ value, signed, className }: AmountProps) {
  const t = useTranslations("common");
  const locale = useLocale();
  if (value === null || value === undefined) return <span className={className}>{t("none")}</span>;
  const direction = !signed || value === 0 ? undefined : value > 0 ? styles.gain : styles.loss;
  return (
    <span className={classes(styles.amount, direction, className)}>
      {direction && (
        <span className="visually-hidden">{value > 0 ? t("signUp") : t("signDown")} </span>
      )}
      {signed ? formatSigned(value, locale) : formatMoney(value, locale)}
    </span>
  );
}

/** Marks amounts in demo mode as play money. */
export function PlayMoney({ show }: { show: boolean | undefined }) {
  const t = useTranslations("common");
  return show ? <span className={styles.playMoney}>{t("playMoney")}</span> : null;
}
