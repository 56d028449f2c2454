import { useTranslations } from "use-intl";
import type { PayAccount } from "../../api/types.ts";

/** The networks of USDT addresses that are paid to. */
export const WALLET_TYPES = ["trc20", "erc20", "omni"] as const;

/** An account in one line: the bank and whose card, or the wallet's type and its address. */
export function useAccountName(): (account: PayAccount) => string {
  const t = useTranslations("money.account");
  return (account) =>
    account.type === 0
      ? t("bankLine", { bank: account.acc_bank, holder: account.acc_name })
      : t("walletLine", { type: account.acc_name.toUpperCase(), address: account.acc });
}
