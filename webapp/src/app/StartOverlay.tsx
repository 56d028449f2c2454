import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import styles from "./StartOverlay.module.css";

const SHOWN_MS = 1_000;

/**
 * The same mark as in index.html, until one second after the start; calls run
 * meanwhile. A slow phone may have shown it for longer already.
 */
export function StartOverlay() {
  const t = useTranslations("common");
  const [shown, setShown] = useState(() => performance.now() < SHOWN_MS);
  useEffect(() => {
    const timer = setTimeout(() => setShown(false), SHOWN_MS - performance.now());
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
