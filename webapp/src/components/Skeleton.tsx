import { useTranslations } from "use-intl";
import styles from "./Skeleton.module.css";

const ROWS = ["a", "b", "c", "d"];

/** A placeholder for rows, only before there is any data. */
export function Skeleton() {
  const t = useTranslations("common");
  return (
    <div className={styles.skeleton} role="status" aria-label={t("loading")}>
      {ROWS.map((row) => (
        <i key={row} />
      ))}
    </div>
  );
}
