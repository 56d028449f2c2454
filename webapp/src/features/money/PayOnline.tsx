import { useTranslations } from "use-intl";
import { Amount } from "../../components/Amount.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { isLink } from "../../lib/links.ts";
import styles from "./Parts.module.css";

/** An order of ours that a payment page takes. */
export interface Order {
  number: string;
  amount: number;
  page: string;
}

/** Leads to the payment page, which stands beside the app: what becomes of it shows here. */
export function PayOnline({ order, onClose }: { order: Order | null; onClose: () => void }) {
  const t = useTranslations("money.online");
  const page = order && isLink(order.page) ? new URL(order.page) : null;
  return (
    <Sheet side="center" open={order !== null} onClose={onClose} title={t("title")}>
      <p className={styles.text}>{t("text")}</p>
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
