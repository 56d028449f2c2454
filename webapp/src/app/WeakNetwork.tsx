import { useTranslations } from "use-intl";
import { ATTEMPTS } from "../api/client.ts";
import { formatClock } from "../lib/dates.ts";
import { useNetwork, useOnline } from "../lib/network.ts";
import styles from "./WeakNetwork.module.css";

/**
 * Says that the phone is offline, or that calls are being retried, with a button to cancel them.
 */
export function WeakNetwork() {
  const online = useOnline();
  const calls = Object.values(useNetwork((state) => state.retrying));
  if (!online) return <Offline />;
  if (calls.length === 0) return null;
  return <Retrying attempt={Math.max(...calls.map((call) => call.attempt))} />;
}

/** From a call's second attempt on. */
function Retrying({ attempt }: { attempt: number }) {
  const t = useTranslations("common");
  const cancel = () => Object.values(useNetwork.getState().retrying).map((call) => call.cancel());
  return (
    <div className={styles.bar} role="status">
      <span>{t("weak", { attempt, attempts: ATTEMPTS })}</span>
      <button type="button" onClick={cancel}>
        {t("cancel")}
      </button>
    </div>
  );
}

/** The data shown stays, with its age. */
function Offline() {
  const t = useTranslations("common");
  const answeredAt = useNetwork((state) => state.answeredAt);
  return (
    <div className={styles.bar} role="status" data-testid="offline">
      <p>
        {t("offline")}
        {answeredAt !== null && (
          <small>{t("stale", { time: formatClock(answeredAt / 1000) })}</small>
        )}
      </p>
    </div>
  );
}
