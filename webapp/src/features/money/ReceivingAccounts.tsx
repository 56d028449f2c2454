import { useTranslations } from "use-intl";
import type { Recharge } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { CopyButton } from "../../components/CopyButton.tsx";
import { Card } from "../../components/Page.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { isLink } from "../../lib/externalUrl.ts";
import styles from "./Money.module.css";

/** The house's bank account, each part of it copied by a tap. */
export function BankDetails({ recharge }: { recharge: Recharge }) {
  const t = useTranslations("money.recharge");
  const { bankname, bankxm, banknum } = recharge;
  const rows: [string, string][] = [
    [t("bankName"), bankname],
    [t("holder"), bankxm],
    [t("number"), banknum],
  ];
  if (banknum === "") return <p className={styles.warning}>{t("noAccount")}</p>;
  return <Details title={t("bankTitle")} rows={rows} />;
}

/** The TRC20 address; as the product has it, in place and hidden: customer service gives it out. */
export function UsdtDetails({ recharge }: { recharge: Recharge }) {
  const t = useTranslations("money.recharge");
  return (
    <div hidden data-testid="trc20">
      <Details title={t("usdtTitle")} rows={[[t("usdtAddress"), recharge.usdt]]} />
    </div>
  );
}

function Details({ title, rows }: { title: string; rows: [string, string][] }) {
  const t = useTranslations("money.recharge");
  return (
    <Card className={styles.details} aria-label={title}>
      <h2>{title}</h2>
      <dl>
        {rows.map(([label, text]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <b>{text}</b>
              <CopyButton text={text} label={t("copy", { what: label })} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** An order for the payment page. */
export interface OnlineOrder {
  number: string;
  amount: number;
  page: string;
}

/** Links to the payment page, which opens in a new tab; the result shows here. */
export function PayOnline({ order, onClose }: { order: OnlineOrder | null; onClose: () => void }) {
  const t = useTranslations("money.online");
  const page = order && isLink(order.page) ? new URL(order.page) : null;
  return (
    <Sheet side="center" open={order !== null} onClose={onClose} title={t("title")}>
      <p className={styles.partsText}>{t("text")}</p>
      <dl className={styles.facts}>
        <div>
          <dt>{t("amount")}</dt>
          <dd>
            <Amount value={order?.amount} />
          </dd>
        </div>
        <div>
          <dt>{t("number")}</dt>
          <dd>{order?.number}</dd>
        </div>
      </dl>
      {page && (
        <a
          className={styles.leave}
          href={page.href}
          target="_blank"
          rel="noreferrer"
          onClick={onClose}
        >
          {t("go", { host: page.host })}
        </a>
      )}
    </Sheet>
  );
}
