import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import styles from "./StartOverlay.module.css";

const SHOWN_MS = 1_000;

/** The same mark as index.html paints, for the first second; calls are under way beneath it. */
export function StartOverlay() {
  const t = useTranslations("common");
  const [shown, setShown] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setShown(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div className={styles.overlay} role="status">
      <i aria-hidden="true" />
      <span>{t("brand")}</span>
    </div>
  );
}
