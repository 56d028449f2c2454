import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { CallError, call } from "../../api/client.ts";
import { useConfig } from "../../api/commonQueries.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import type { LedgerEntry, Recharge, Schemas } from "../../api/types.ts";
import { withStepUp } from "../../api/withStepUp.ts";
import { Amount, PlayMoney } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Field, useFocusFirstError } from "../../components/Field.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { formatTime } from "../../lib/dates.ts";
import { formatMoney } from "../../lib/money.ts";
import {
  type DepositForm,
  type DepositProblem,
  depositProblems,
  turnoverAfter,
  type Way,
} from "./deposit.ts";
import styles from "./Money.module.css";
import { useDeposits, useRefreshMoney } from "./queries.ts";
import { type OnlineOrder, PayOnline } from "./ReceivingAccounts.tsx";
import { typedMinor, unitsOf } from "./typedAmount.ts";
import type { FieldError } from "./useSavePayoutAccount.ts";

const EMPTY: DepositForm = { amount: "", reference: "" };
const LONGEST_REFERENCE = 200;

/** "I have paid": how much, and what the transfer says. Online it is an order, paid elsewhere. */
export function AnnounceDeposit({ way, recharge }: { way: Way; recharge: Recharge }) {
  const t = useTranslations("money.recharge");
  const locale = useLocale();
  const demo = useConfig()?.demo;
  const problemText = useProblemText(recharge);
  const { busy, fieldError, clearError, send } = useAnnounceDeposit(way);
  const [element, showFirstProblem] = useFocusFirstError();
  const [form, setForm] = useState(EMPTY);
  const [tried, setTried] = useState(false);
  const [order, setOrder] = useState<OnlineOrder | null>(null);
  const problems = tried ? depositProblems(form, way, recharge.room) : {};
  const field = (name: keyof DepositForm) => ({
    name,
    value: form[name],
    autoComplete: "off",
    error:
      problemText(problems[name]) ?? (fieldError?.field === name ? fieldError.text : undefined),
    onChange: (event: { target: { value: string } }) => {
      clearError();
      setForm({ ...form, [name]: event.target.value });
    },
  });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    const isRight = Object.keys(depositProblems(form, way, recharge.room)).length === 0;
    const sent = isRight ? await send(form) : null;
    if (sent === null) return showFirstProblem();
    setTried(false);
    setForm(EMPTY);
    if (sent.pay_at !== undefined)
      setOrder({ number: sent.id, amount: sent.amount, page: sent.pay_at });
  };
  const due = (typed: string) => formatMoney(turnoverAfter(recharge.turnover_due, typed), locale);
  return (
    <>
      <form
        ref={element}
        className={styles.form}
        onSubmit={submit}
        noValidate
        aria-label={t("notice")}
      >
        <h2>
          {t("notice")} <PlayMoney show={demo} />
        </h2>
        <Field {...field("amount")} label={t("amount")} inputMode="decimal" maxLength={16} />
        {way !== "online" && (
          <Field
            {...field("reference")}
            label={t("reference")}
            hint={t("referenceHint")}
            maxLength={LONGEST_REFERENCE}
          />
        )}
        <p className={styles.note}>{t("turnover", { now: due(""), after: due(form.amount) })}</p>
        <Button type="submit" variant="gold" full busy={busy}>
          {t(way === "online" ? "payOnline" : "sent")}
        </Button>
      </form>
      <PayOnline order={order} onClose={() => setOrder(null)} />
    </>
  );
}

function useProblemText(recharge: Recharge): (problem?: DepositProblem) => string | undefined {
  const t = useTranslations("money.recharge");
  const locale = useLocale();
  return (problem) => {
    if (problem === "aboveLimit")
      return t("aboveLimit", { amount: formatMoney(recharge.room ?? 0, locale) });
    return problem && t(problem);
  };
}

const SHOWN = 5;
const STATUSES = ["waiting", "credited", "notCredited"] as const;

/** The status of the player's latest deposits. */
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

/** Announces a deposit; resolves to null where it was refused. */
function useAnnounceDeposit(way: Way) {
  const failure = useErrorText();
  const refresh = useRefreshMoney();
  const key = useFormKey();
  const [busy, setBusy] = useState(false);
  const [fieldError, setFieldError] = useState<FieldError | null>(null);
  const send = async (form: DepositForm): Promise<Schemas["DepositNotice"] | null> => {
    const amount = unitsOf(typedMinor(form.amount) ?? 0);
    const body = { amount, channel: way, reference: form.reference.trim() };
    setBusy(true);
    setFieldError(null);
    try {
      const { data, msg } = await withStepUp(() =>
        call("user/deposit", body, { key: key.of(body) }),
      );
      key.decided();
      toast(String(msg), "good");
      return data;
    } catch (error) {
      key.failed(error);
      const text = failure(error);
      toast(text, "bad");
      if (error instanceof CallError) setFieldError({ field: error.field, text });
      return null;
    } finally {
      setBusy(false);
      void refresh();
    }
  };
  return { busy, fieldError, clearError: () => setFieldError(null), send };
}
