import { useTranslations } from "use-intl";
import styles from "./PlayMoney.module.css";

/** Says, wherever an amount is entered in demo mode, that none of it is money. */
export function PlayMoney({ show }: { show: boolean | undefined }) {
  const t = useTranslations("common");
  return show ? <span className={styles.badge}>{t("playMoney")}</span> : null;
}
