import { useRef } from "react";
import { useTranslations } from "use-intl";
import type { PayAccount, Withdrawal } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useBack } from "../../lib/useBack.ts";
import styles from "./Money.module.css";
import { useAccountName } from "./queries.ts";

interface WithdrawDoneProps {
  done: Withdrawal | null;
  account: PayAccount;
}

/** Confirms a withdrawal request. Closing goes back. */
export function WithdrawDone({ done, account }: WithdrawDoneProps) {
  const t = useTranslations("money.withdraw");
  const common = useTranslations("common");
  const accountName = useAccountName();
  const back = useBack("/personal");
  const left = useRef(false);
  const leave = () => {
    if (!left.current) back();
    left.current = true;
  };
  return (
    <Sheet
      side="center"
      open={done !== null}
      onClose={leave}
      title={t("doneTitle")}
      actions={
        <Button variant="gold" onClick={leave}>
          {common("ok")}
        </Button>
      }
    >
      <div className={styles.done}>
        <DoneArt />
        <p>{t("doneText")}</p>
      </div>
      <dl className={styles.facts}>
        <div>
          <dt>{t("amount")}</dt>
          <dd>
            <Amount value={done?.quantity} />
          </dd>
        </div>
        <div>
          <dt>{t("to")}</dt>
          <dd>{accountName(account)}</dd>
        </div>
        <div>
          <dt>{t("left")}</dt>
          <dd>
            <Amount value={done?.money} />
          </dd>
        </div>
      </dl>
    </Sheet>
  );
}

/** A slip with a tick, on its way. */
function DoneArt() {
  return (
    <svg viewBox="0 0 120 76" width="120" height="76" aria-hidden="true" fill="none">
      <path
        d="M8 62h22M4 50h18M12 38h12"
        stroke="var(--line-strong)"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <path
        d="M40 8h50a4 4 0 0 1 4 4v54l-7-5-7 5-7-5-8 5-7-5-7 5-8-5-7 5V12a4 4 0 0 1 4-4z"
        transform="translate(2 1)"
        fill="var(--gold-soft)"
        stroke="var(--gold)"
        strokeWidth="2.5"
        strokeLinejoin="round"
      />
      <path
        d="M50 22h32M50 50h20"
        stroke="var(--gold)"
        strokeWidth="2.5"
        strokeLinecap="round"
        opacity="0.6"
      />
      <path
        d="M56 36l8 8 16-17"
        stroke="var(--gold)"
        strokeWidth="4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
