import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { LedgerEntry } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { formatTime } from "../../lib/dates.ts";
import styles from "./Money.module.css";
import { useDeposits } from "./queries.ts";

const SHOWN = 5;
const STATUSES = ["waiting", "credited", "notCredited"] as const;

/** What became of the member's last deposits. */
export function Deposits() {
  const t = useTranslations("money.recharge");
  const deposits = useDeposits().data;
  if (deposits === undefined || deposits.length === 0) return null;
  return (
    <section className={styles.list} aria-label={t("latest")}>
      <h2>{t("latest")}</h2>
      <ul>
        {deposits.slice(0, SHOWN).map((deposit) => (
          <Deposit key={deposit.id} deposit={deposit} />
        ))}
      </ul>
      <Link to="/capitalDetail">{t("allDeposits")}</Link>
    </section>
  );
}

function Deposit({ deposit }: { deposit: LedgerEntry }) {
  const t = useTranslations("money.recharge");
  return (
    <li>
      <span>{deposit.mark}</span>
      <Amount value={deposit.quantity} />
      <small>{formatTime(deposit.createtime)}</small>
      <small data-status={deposit.status}>{t(STATUSES[deposit.status])}</small>
    </li>
  );
}
