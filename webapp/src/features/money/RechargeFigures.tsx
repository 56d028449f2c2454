import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import type { Recharge } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { Card } from "../../components/Card.tsx";
import { Figures } from "../../components/Figures.tsx";
import { PlayMoney } from "../../components/PlayMoney.tsx";
import { formatMoney } from "../../lib/money.ts";
import styles from "./Money.module.css";

/** The balance, what waits, the turnover that is due, and what the member's own limits leave. */
export function RechargeFigures({ recharge }: { recharge: Recharge }) {
  const t = useTranslations("money.recharge");
  const locale = useLocale();
  const demo = useConfig()?.demo;
  return (
    <Card className={styles.balance}>
      <p>
        {t("balance")} <PlayMoney show={demo} />
      </p>
      <Amount value={recharge.money} className={styles.total} />
      <Figures
        figures={[
          [t("pending"), <Amount key="pending" value={recharge.pending} />],
          [t("due"), <Amount key="due" value={recharge.turnover_due} />],
        ]}
      />
      <p className={styles.room}>
        {recharge.room === null
          ? t("noLimit")
          : t("room", { amount: formatMoney(recharge.room, locale) })}{" "}
        <Link to="/setting?type=3">{t(recharge.room === null ? "setLimit" : "limits")}</Link>
      </p>
    </Card>
  );
}
