import { useTranslations } from "use-intl";
import type { PayAccount } from "../../api/types.ts";
import { Icon } from "../../components/Icon.tsx";
import styles from "./SavedAccount.module.css";

/** A payout account as its owner sees it: masked, but told apart from any other. */
export function SavedAccount({ account }: { account: PayAccount }) {
  const t = useTranslations("money.account");
  const isCard = account.type === 0;
  return (
    <section className={styles.saved} aria-label={t(`kind${account.type}`)}>
      <p className={styles.head}>
        <b>
          {isCard ? account.acc_bank : t("walletName", { type: account.acc_name.toUpperCase() })}
        </b>
        <Icon name={isCard ? "card" : "wallet"} size={26} />
      </p>
      <p className={styles.number}>{account.acc}</p>
      <p className={styles.foot}>{isCard ? account.acc_name : t("kind1")}</p>
    </section>
  );
}
