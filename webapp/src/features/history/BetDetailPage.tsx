import type { ReactNode } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import type { Order } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { Balls, parseCode } from "../../components/Balls.tsx";
import { LinkList } from "../../components/LinkList.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import { EmptyState } from "../../components/Placeholder.tsx";
import { useBetText, useGameName, usePlanName } from "../../i18n/names.ts";
import { formatTime } from "../../lib/dates.ts";
import { formatOdds } from "../../lib/money.ts";
import { sumsText } from "../../lib/winningSums.ts";
import styles from "./BetDetailPage.module.css";
import { type Outcome, outcomeOf, parseOrder } from "./order.ts";

export default function BetDetailPage() {
  const t = useTranslations("history");
  const [query] = useSearchParams();
  const order = parseOrder(query.get("item"));
  return (
    <Page top={<TopBar title={t("betDetail")} />} className={styles.page}>
      {order ? <Detail order={order} /> : <Unreadable />}
    </Page>
  );
}

function Unreadable() {
  const t = useTranslations("history");
  const navigate = useNavigate();
  const toHistory = () => navigate("/betRecord", { replace: true });
  return <EmptyState icon="alert" text={t("missing")} action={t("bets")} onAction={toHistory} />;
}

/** Where the draw that answers an order is proved. */
function proofOf({ game_id, issue, title }: Order): string {
  const query = new URLSearchParams({ game_id: String(game_id), name: title, issue });
  return `/lotteryDetail?${query}`;
}

function Detail({ order }: { order: Order }) {
  const t = useTranslations("history");
  const locale = useLocale();
  const kindText = useBetText();
  const gameName = useGameName();
  const planName = usePlanName();
  const outcome = outcomeOf(order);
  const pending = outcome === "pending";
  const settled = outcome === "won" || outcome === "lost";
  const dashes = <span>--</span>;
  const paidOut: [string, ReactNode][] = settled
    ? [[t("payout"), <Amount key="payout" value={order.payout} />]]
    : [];
  const sums = sumsText(order.play_type);
  const selection: [string, ReactNode][] = sums ? [[t("winningSums"), sums]] : [];
  const rows: [string, ReactNode][] = [
    [t("method"), kindText(order.play_type)],
    ...selection,
    [t("amount"), <Amount key="amount" value={order.quantity} />],
    [t("odds"), formatOdds(order.odds, locale)],
    ...paidOut,
    [t("profit"), settled ? <Amount key="profit" value={order.profit} signed /> : dashes],
    [t("time"), formatTime(order.createtime)],
  ];
  if (!pending)
    rows.unshift(
      [t("orderNo"), <code key="orderNo">{order.orderNo}</code>],
      [t("plan"), planName(order.plan_id)],
    );
  return (
    <>
      <Card className={styles.head}>
        <div>
          <p>{gameName(order.game_id, order.title)}</p>
          <p className={styles.issue}>{t("round", { issue: order.issue })}</p>
          <p className={styles.big}>
            {settled ? <Amount value={order.profit} signed /> : <Amount value={order.quantity} />}
          </p>
        </div>
        <Stamp kind={outcome} text={t(outcome)} />
      </Card>
      {outcome === "recalled" && <p className={styles.why}>{t("recalledText")}</p>}
      {outcome === "voided" && <p className={styles.why}>{t("voidedText")}</p>}
      {settled && (
        <Card className={styles.result}>
          <span>{t("result")}</span>
          <Balls drawn={parseCode(order.lottery_code)} size="large" />
        </Card>
      )}
      <LinkList items={[{ icon: "shield", label: t("checkDraw"), to: proofOf(order) }]} />
      <Card>
        <dl className={styles.facts}>
          {rows.map(([label, fact]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </>
  );
}

function Stamp({ kind, text }: { kind: Outcome; text: string }) {
  return (
    <span className={styles.stamp} data-kind={kind}>
      {text}
    </span>
  );
}
