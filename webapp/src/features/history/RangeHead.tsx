import { useTranslations } from "use-intl";
import styles from "./Rows.module.css";

/** The days that the rows below are of. */
export function RangeHead({ begin_date, end_date }: { begin_date: string; end_date: string }) {
  const t = useTranslations("history");
  return (
    <p className={styles.range}>
      {begin_date === end_date ? begin_date : t("range", { begin: begin_date, end: end_date })}
    </p>
  );
}
