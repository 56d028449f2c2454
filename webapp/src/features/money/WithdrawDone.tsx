import { useRef } from "react";
import { useTranslations } from "use-intl";
import type { PayAccount, Withdrawal } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useBack } from "../../lib/back.ts";
import { DoneArt } from "./DoneArt.tsx";
import { useAccountName } from "./names.ts";
import styles from "./Parts.module.css";

interface WithdrawDoneProps {
  done: Withdrawal | null;
  account: PayAccount;
}

/** The withdrawal was asked for. Closing leads back to where the member came from. */
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
