import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import styles from "./StartOverlay.module.css";

const SHOWN_MS = 1_000;

/**
 * The same mark as index.html paints, until a second has passed since the start; calls are under
 * way beneath it. A slow phone has shown it for longer when this begins.
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
