import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { ATTEMPTS } from "../../../api/client.ts";
import { Button } from "../../../components/Button.tsx";
import styles from "./BetNotices.module.css";

/** Says why a visitor cannot bet, and leads to where that changes. */
export function GuestNotice() {
  const t = useTranslations("room.visitor");
  const navigate = useNavigate();
  return (
    <div className={styles.visitor}>
      <p>{t("text")}</p>
      <Button variant="gold" full onClick={() => navigate("/register")}>
        {t("register")}
      </Button>
    </div>
  );
}

const WEAK_FROM = 2;

/** Names a weak network from the second attempt on, with a way to give up; a dialog hides the app's own. */
export function RetryNotice({ attempt, onCancel }: { attempt: number; onCancel: () => void }) {
  const t = useTranslations("room.slip");
  if (attempt < WEAK_FROM) return null;
  return (
    <div className={styles.weak} role="status" data-testid="weak-network">
      <span>{t("weak", { attempt: String(attempt), attempts: String(ATTEMPTS) })}</span>
      <Button onClick={onCancel}>{t("stop")}</Button>
    </div>
  );
}
