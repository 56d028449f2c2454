import { type FormEvent, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import type { Recharge } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { PlayMoney } from "../../components/PlayMoney.tsx";
import { useFirstProblem } from "../../lib/firstProblem.ts";
import { formatMoney } from "../../lib/money.ts";
import {
  type DepositForm,
  type DepositProblem,
  depositProblems,
  turnoverAfter,
  type Way,
} from "./deposit.ts";
import styles from "./Money.module.css";
import { type Order, PayOnline } from "./PayOnline.tsx";
import { useNotice } from "./useNotice.ts";

const EMPTY: DepositForm = { amount: "", reference: "" };
const LONGEST_REFERENCE = 200;

/** "I have paid": how much, and what the transfer says. Online it is an order, paid elsewhere. */
export function DepositNotice({ way, recharge }: { way: Way; recharge: Recharge }) {
  const t = useTranslations("money.recharge");
  const locale = useLocale();
  const demo = useConfig()?.demo;
  const problemText = useProblemText(recharge);
  const { busy, blame, forgive, send } = useNotice(way);
  const [element, showFirstProblem] = useFirstProblem();
  const [form, setForm] = useState(EMPTY);
  const [tried, setTried] = useState(false);
  const [order, setOrder] = useState<Order | null>(null);
  const problems = tried ? depositProblems(form, way, recharge.room) : {};
  const field = (name: keyof DepositForm) => ({
    name,
    value: form[name],
    autoComplete: "off",
    error: problemText(problems[name]) ?? (blame?.field === name ? blame.text : undefined),
    onChange: (event: { target: { value: string } }) => {
      forgive();
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
