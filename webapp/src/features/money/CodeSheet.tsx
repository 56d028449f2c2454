import { useLocale, useTranslations } from "use-intl";
import type { PayAccount } from "../../api/types.ts";
import { Keypad } from "../../components/Keypad.tsx";
import { formatMoney } from "../../lib/money.ts";
import { useAccountName } from "./names.ts";
import type { Withdrawing } from "./useWithdrawing.ts";

/** The security code, asked for once the checks passed; says once more what it confirms. */
export function CodeSheet({
  withdrawing,
  account,
}: {
  withdrawing: Withdrawing;
  account: PayAccount;
}) {
  const t = useTranslations("money.withdraw");
  const locale = useLocale();
  const accountName = useAccountName();
  const { wish, problem, busy } = withdrawing;
  const amount = formatMoney(wish?.money ?? 0, locale);
  return (
    <Keypad
      open={wish !== null}
      title={t("codeTitle")}
      hint={t("codeHint", { amount, account: accountName(account) })}
      error={problem === null ? undefined : t(problem)}
      locked={problem === "lockedCode"}
      busy={busy}
      onClose={withdrawing.leave}
      onCode={withdrawing.confirm}
    />
  );
}
