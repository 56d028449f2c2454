import { useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import type { PayoutType, WithdrawInfo } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { Card } from "../../components/Card.tsx";
import { Figures } from "../../components/Figures.tsx";
import { PlayMoney } from "../../components/PlayMoney.tsx";
import { unitsOf } from "./amount.ts";
import styles from "./Money.module.css";
import { type Standing, withdrawableMinor } from "./withdrawal.ts";

/** The total balance, and how much of it may go now. */
export function WithdrawFigures({ standing, method }: { standing: Standing; method: PayoutType }) {
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
      <Figures
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
export function OnTheWay({ withdrawals }: { withdrawals: WithdrawInfo["withdrawals"] }) {
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

export function WhatNext() {
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
