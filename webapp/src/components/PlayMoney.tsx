import { useTranslations } from "use-intl";
import styles from "./PlayMoney.module.css";

/** Marks amounts in demo mode as play money. */
export function PlayMoney({ show }: { show: boolean | undefined }) {
  const t = useTranslations("common");
  return show ? <span className={styles.badge}>{t("playMoney")}</span> : null;
}
