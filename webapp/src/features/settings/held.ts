import { useTranslations } from "use-intl";
import { usePayInfo, useSafety } from "../../api/standing.ts";
import type { PayAccount } from "../../api/types.ts";

export type Held = Record<"card" | "wallet" | "code", string | undefined>;

/** What of the account is there already, in a word; nothing while it is not known. */
export function useHeld(): Held {
  const t = useTranslations("account");
  const code = useSafety().data?.isTrue;
  const payout = (account: PayAccount | undefined) =>
    account && (account.is_set ? account.acc : t("notSet"));
  return {
    card: payout(usePayInfo(0).data?.account),
    wallet: payout(usePayInfo(1).data?.account),
    code: code === undefined ? undefined : t(code ? "isSet" : "notSet"),
  };
}
