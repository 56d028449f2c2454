import { useTranslations } from "use-intl";
import { ATTEMPTS } from "../api/client.ts";
import { useNetwork } from "../lib/network.ts";
import styles from "./WeakNetwork.module.css";

/** Names a weak network from a call's second attempt on, with a way to give up. */
export function WeakNetwork() {
  const t = useTranslations("common");
  const calls = Object.values(useNetwork((state) => state.weak));
  if (calls.length === 0) return null;
  const attempt = Math.max(...calls.map((call) => call.attempt));
  return (
    <div className={styles.bar} role="status">
      <span>{t("weak", { attempt, attempts: ATTEMPTS })}</span>
      <button type="button" onClick={() => calls.map((call) => call.cancel())}>
        {t("cancel")}
      </button>
    </div>
  );
}
