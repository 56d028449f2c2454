import { type FormEvent, useRef, useState } from "react";
import { Link, useNavigate } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import type { PayAccount, PayoutType } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { Icon } from "../../components/Icon.tsx";
import { formatMoney } from "../../lib/money.ts";
import styles from "./Money.module.css";
import { useAccountName } from "./queries.ts";
import { asTyped, typedMinor, unitsOf } from "./typedAmount.ts";
import {
  type Blocker,
  firstBlocker,
  type WithdrawSnapshot,
  withdrawableMinor,
} from "./withdrawal.ts";

export interface WithdrawFormProps {
  standing: WithdrawSnapshot;
  /** The same, read again; null where it could not be. */
  newest: () => Promise<WithdrawSnapshot | null>;
}

interface WithdrawAmountProps extends WithdrawFormProps {
  method: PayoutType;
  onAmount: (minor: number) => void;
}

/** The page on which a blocker is resolved. */
const ELSEWHERE: Partial<Record<Blocker, string>> = {
  baseInfo: "/baseinfo",
  account: "/bankCardManage?type=0",
  code: "/setSecurityCode?isTrue=false",
};

/**
 * The amount, and the checks in their order; the first blocker is often resolved on another page.
 */
export function WithdrawAmount({ standing, newest, method, onAmount }: WithdrawAmountProps) {
  const t = useTranslations("money.withdraw");
  const locale = useLocale();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const { busy, problem, clear, submit } = useChecks(standing, newest, {
    passed: onAmount,
    failed: () => field.current?.focus(),
  });
  const write = (text: string) => {
    setTyped(text);
    clear();
  };
  const all = withdrawableMinor(standing, method);
  const minimum = formatMoney(standing.info.minimum, locale);
  return (
    <form className={styles.form} onSubmit={(event) => submit(event, typed)} noValidate>
      <Field
        ref={field}
        label={t("amount")}
        hint={t("minimum", { minimum })}
        error={useProblemText(problem, minimum)}
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        maxLength={16}
        value={typed}
        onChange={(event) => write(event.target.value)}
      />
      {all > 0 && (
        <Button className={styles.chip} onClick={() => write(asTyped(all))}>
          {t("all", { amount: formatMoney(unitsOf(all), locale) })}
        </Button>
      )}
      <p className={styles.note}>{t("final")}</p>
      <Button type="submit" variant={all > 0 ? "gold" : "plain"} full busy={busy}>
        {t("submit")}
      </Button>
    </form>
  );
}

interface Outcomes {
  passed: (minor: number) => void;
  failed: () => void;
}

function useChecks(
  standing: WithdrawFormProps["standing"],
  newest: WithdrawFormProps["newest"],
  { passed, failed }: Outcomes,
) {
  const navigate = useNavigate();
  const [problem, setProblem] = useState<Blocker | null>(null);
  const [busy, setBusy] = useState(false);
  const check = async (typed: string) => {
    const found = firstBlocker(standing, typed);
    if (found === null || ELSEWHERE[found] === undefined) return found;
    // Missing data may have been completed a moment ago.
    setBusy(true);
    const again = await newest().catch(() => null);
    setBusy(false);
    return firstBlocker(again ?? standing, typed);
  };
  const submit = async (event: FormEvent, typed: string) => {
    event.preventDefault();
    const found = await check(typed);
    setProblem(found);
    const amount = typedMinor(typed);
    if (found === null && amount !== null) return passed(amount);
    const page = found && ELSEWHERE[found];
    if (page) navigate(page);
    else failed();
  };
  return { busy, problem, clear: () => setProblem(null), submit };
}

function useProblemText(problem: Blocker | null, minimum: string): string | undefined {
  const t = useTranslations("money.withdraw");
  if (problem === "amountMissing") return t("amountMissing");
  if (problem === "amountWrong") return t("amountWrong");
  return problem === "tooSmall" ? t("tooSmall", { minimum }) : undefined;
}

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
