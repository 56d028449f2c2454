import { useState } from "react";
import { Navigate } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useConfig } from "../../api/commonQueries.ts";
import type { PayAccount, PayoutType, WithdrawInfo } from "../../api/types.ts";
import { Amount, PlayMoney } from "../../components/Amount.tsx";
import { BreakNotice } from "../../components/BreakNotice.tsx";
import { Keypad } from "../../components/Keypad.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { StaleNotice } from "../../components/StaleNotice.tsx";
import { StatRow } from "../../components/StatRow.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { formatMoney } from "../../lib/money.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import styles from "./Money.module.css";
import { useAccountName, useWithdrawInfo } from "./queries.ts";
import { unitsOf } from "./typedAmount.ts";
import { useWithdraw, type Withdrawing } from "./useWithdraw.ts";
import { VisitorNote } from "./VisitorNote.tsx";
import { AccountChoice, WithdrawAmount, type WithdrawFormProps } from "./WithdrawAmount.tsx";
import { WithdrawalBlockers } from "./WithdrawalBlockers.tsx";
import { WithdrawDone } from "./WithdrawDone.tsx";
import {
  firstAccount,
  hasAccount,
  type WithdrawSnapshot,
  withdrawableMinor,
} from "./withdrawal.ts";

export default function WithdrawPage() {
  const t = useTranslations("money.withdraw");
  const guest = useSession(isGuest);
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      {guest ? <VisitorNote /> : <Withdraw />}
    </Page>
  );
}

/** Without a payout account the page redirects to adding one. */
function Withdraw() {
  const common = useTranslations("common");
  const failure = useErrorText();
  const read = useWithdrawInfo();
  if (read.data === undefined && read.error) {
    return (
      <EmptyState
        icon="alert"
        text={failure(read.error)}
        action={common("reload")}
        onAction={() => read.refetch()}
      />
    );
  }
  // Cached data may be older than an account that was just added.
  const known = read.data && (hasAccount(read.data.info) || !read.isFetching);
  if (read.data === undefined || !known) return <Skeleton />;
  if (!hasAccount(read.data.info)) return <Navigate to="/bankCardManage?type=0" replace />;
  const newest = async (): Promise<WithdrawSnapshot | null> => {
    const { data } = await read.refetch();
    return data ?? null;
  };
  return (
    <>
      <BreakNotice here />
      <StaleNotice query={read} />
      <WithdrawForm standing={read.data} newest={newest} />
    </>
  );
}

/** The withdrawal form; the keypad opens once all checks pass. */
function WithdrawForm({ standing, newest }: WithdrawFormProps) {
  const { info } = standing;
  const [chosen, setChosen] = useState(() => firstAccount(info));
  const account: PayAccount = info.pay_list[chosen];
  const withdrawing = useWithdraw();
  return (
    <>
      <WithdrawFigures standing={standing} method={chosen} />
      <WithdrawalBlockers standing={standing} method={chosen} />
      <AccountChoice accounts={info.pay_list} chosen={chosen} onChoose={setChosen} />
      <WithdrawAmount
        standing={standing}
        newest={newest}
        method={chosen}
        onAmount={(minor) => withdrawing.ask({ type: chosen, money: unitsOf(minor) })}
      />
      <OnTheWay withdrawals={info.withdrawals} />
      <WhatNext />
      <CodeSheet withdrawing={withdrawing} account={account} />
      <WithdrawDone done={withdrawing.done} account={account} />
    </>
  );
}

/** The total balance, and how much of it may go now. */
function WithdrawFigures({ standing, method }: { standing: WithdrawSnapshot; method: PayoutType }) {
  const t = useTranslations("money.withdraw");
  const demo = useConfig()?.demo;
  const { info } = standing;
  const free = unitsOf(withdrawableMinor(standing, method));
  return (
    <Card className={styles.balance}>
      <p>
        {t("balance")} <PlayMoney show={demo} />
      </p>
      <Amount value={info.money} className={styles.total} />
      <StatRow
        figures={[
          [t("free"), <Amount key="free" value={free} />],
          [t("bonus"), <Amount key="bonus" value={info.score} />],
          [t("onWay"), <Amount key="way" value={info.withdrawing} />],
        ]}
      />
    </Card>
  );
}

type Status = "requested" | "endorsed" | "approved";

function statusOf(text: string): Status {
  return text === "endorsed" || text === "approved" ? text : "requested";
}

/** Withdrawals that staff have still to decide on or to send. */
function OnTheWay({ withdrawals }: { withdrawals: WithdrawInfo["withdrawals"] }) {
  const t = useTranslations("money.withdraw");
  const kinds = useTranslations("money.account");
  if (withdrawals.length === 0) return null;
  return (
    <section className={styles.list} aria-label={t("waiting")}>
      <h2>{t("waiting")}</h2>
      <ul>
        {withdrawals.map((withdrawal) => (
          <li key={withdrawal.id}>
            <span>{kinds(`kind${withdrawal.type}`)}</span>
            <Amount value={withdrawal.quantity} />
            <small>{t(statusOf(withdrawal.status))}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

const STEPS = ["next1", "next2", "next3", "next4"] as const;

function WhatNext() {
  const t = useTranslations("money.withdraw");
  return (
    <section className={styles.steps}>
      <h2>{t("next")}</h2>
      <ol>
        {STEPS.map((step) => (
          <li key={step}>{t(step)}</li>
        ))}
      </ol>
    </section>
  );
}

/** The keypad for the security code, which repeats what the code confirms. */
function CodeSheet({ withdrawing, account }: { withdrawing: Withdrawing; account: PayAccount }) {
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
