import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { PayAccount, PayoutType } from "../../api/types.ts";
import { Icon } from "../../components/Icon.tsx";
import styles from "./Choice.module.css";
import { useAccountName } from "./names.ts";

interface AccountChoiceProps {
  accounts: readonly PayAccount[];
  chosen: PayoutType;
  onChoose: (type: PayoutType) => void;
}

/** Where the money goes: bank (0) or virtual wallet (1); one that is missing can be added. */
export function AccountChoice({ accounts, chosen, onChoose }: AccountChoiceProps) {
  const t = useTranslations("money");
  const accountName = useAccountName();
  return (
    <fieldset className={styles.choice}>
      <legend>{t("withdraw.to")}</legend>
      {accounts.map((account) =>
        account.is_set ? (
          <label key={account.type}>
            <input
              type="radio"
              name="account"
              checked={account.type === chosen}
              onChange={() => onChoose(account.type)}
            />
            <Icon name={account.type === 0 ? "card" : "wallet"} size={22} />
            <span>
              <b>{t(`account.kind${account.type}`)}</b>
              <small>{accountName(account)}</small>
            </span>
          </label>
        ) : (
          <Link key={account.type} to={`/bankCardManage?type=${account.type}`}>
            <Icon name="plus" size={22} />
            <span>{t(`account.add${account.type}`)}</span>
            <Icon name="next" size={16} />
          </Link>
        ),
      )}
    </fieldset>
  );
}
