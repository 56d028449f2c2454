import { useTranslations } from "use-intl";
import type { PayAccount } from "../../api/types.ts";

const WALLET_TYPES = ["trc20", "erc20", "omni"] as const;
export type WalletType = (typeof WALLET_TYPES)[number];
export { WALLET_TYPES };

/** An account in one line: the bank and whose card, or the wallet's type and its address. */
export function useAccountName(): (account: PayAccount) => string {
  const t = useTranslations("money.account");
  return (account) =>
    account.type === 0
      ? t("bankLine", { bank: account.acc_bank, holder: account.acc_name })
      : t("walletLine", { type: account.acc_name.toUpperCase(), address: account.acc });
}

const LEVELS = ["l0", "l1", "l2", "l3"] as const;

/** A level's name by its number: 0 basic, 1 senior, 2 master, 3 expert. */
export function useLevelName(): (level: number) => string {
  const t = useTranslations("money.levels");
  return (level) => t(LEVELS[level] ?? "l0");
}
