import { useState } from "react";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/commonQueries.ts";
import { Amount } from "../../components/Amount.tsx";
import { Icon } from "../../components/Icon.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import { useSession } from "../../lib/session.ts";
import styles from "./BalanceBar.module.css";
import { type MaybeAmount, useDelayedBalance } from "./draw/useDrawAnimation.ts";
import { useFormatters } from "./useFormatters.ts";

interface BalanceBarProps {
  /** The balance in u; delayed while a draw is animated. */
  money: MaybeAmount;
  /** A draw is being animated: the day's result is delayed too. */
  pending: boolean;
  minimumUnits: number;
}

/** The balance, which a tap refreshes, the day's result and the hall's minimum. */
export function BalanceBar({ money, pending, minimumUnits }: BalanceBarProps) {
  const t = useTranslations("room");
  const figures = useFormatters();
  const { data: profile, refetch } = useProfile();
  const score = useSession((session) => session.score);
  const today = useDelayedBalance(profile?.today_profit, pending);
  const failed = useErrorToast();
  const [busy, setBusy] = useState(false);
  const refresh = async () => {
    setBusy(true);
    const { error } = await refetch();
    setBusy(false);
    if (error) failed(error);
  };
  return (
    <section className={styles.wallet}>
      <button
        type="button"
        className={styles.balance}
        onClick={refresh}
        aria-busy={busy}
        data-testid="room-balance"
      >
        <span className={styles.label}>
          {t("balance")}
          <span className={busy ? styles.turning : undefined}>
            <Icon name="refresh" size={14} />
          </span>
          <span className="visually-hidden">{t("refreshBalance")}</span>
        </span>
        <Amount value={money} className={styles.money} />
        {score > 0 && (
          <span className={styles.bonus}>{t("bonus", { amount: figures.units(score) })}</span>
        )}
      </button>
      <div className={styles.figure}>
        <span className={styles.label}>{t("today")}</span>
        <Amount value={today} signed className={styles.small} />
      </div>
      <div className={styles.figure}>
        <span className={styles.label}>{t("minimum")}</span>
        <span className={styles.small}>{figures.units(minimumUnits)}</span>
      </div>
    </section>
  );
}
