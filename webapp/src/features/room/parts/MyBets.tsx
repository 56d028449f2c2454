import { useTranslations } from "use-intl";
import type { Order } from "../../../api/types.ts";
import { Button } from "../../../components/Button.tsx";
import { useKindText } from "../../../i18n/kinds.ts";
import { toneOf } from "../model/kinds.ts";
import { takesBets } from "../model/phase.ts";
import { milliFromWire, minorFromWire } from "../model/units.ts";
import type { Recalling } from "../recalling.ts";
import { usePhase } from "../time.ts";
import { useFigures } from "../words.ts";
import row from "./LiveBets.module.css";
import styles from "./MyBets.module.css";

const STATUS = ["open", "settled", "recalled", "voided"] as const;

interface MyBetsProps {
  issue: string | undefined;
  orders: readonly Order[];
  planId: number;
  recalling: Recalling;
}

/** The member's bets on this round, in every hall of the game, with what can be recalled. */
export default function MyBets({ issue, orders, planId, recalling }: MyBetsProps) {
  const t = useTranslations("room.mine");
  const figures = useFigures();
  const open = orders.filter((order) => order.status === 0);
  const total = open.reduce((sum, order) => sum + minorFromWire(order.quantity), 0);
  return (
    <section className={styles.mine} aria-label={t("list", { issue: issue ?? "" })}>
      <header className={styles.head}>
        <span>{t("total", { count: open.length, amount: figures.units(total / 100) })}</span>
        <Button
          onClick={() => recalling.recall()}
          busy={recalling.busy === "all"}
          disabled={open.length === 0}
          data-testid="recall-all"
        >
          {t("recallAll")}
        </Button>
      </header>
      {orders.length === 0 && <p className={row.empty}>{t("empty")}</p>}
      <ul>
        {orders.map((order) => (
          <Mine key={order.orderNo} order={order} planId={planId} recalling={recalling} />
        ))}
      </ul>
    </section>
  );
}

interface MineProps {
  order: Order;
  planId: number;
  recalling: Recalling;
}

function Mine({ order, planId, recalling }: MineProps) {
  const t = useTranslations("room.mine");
  const figures = useFigures();
  const kind = useKindText()(order.play_type);
  const open = takesBets(usePhase());
  const amount = figures.units(order.quantity);
  return (
    <li className={row.row} data-testid="my-bet" data-status={order.status}>
      <div className={row.who}>
        <p>
          <span className={row.kind} data-tone={toneOf(order.play_type)}>
            {kind}
          </span>
          {order.plan_id !== planId && <span className={row.issue}>{order.plan_name}</span>}
        </p>
        <p className={row.what}>
          <span className={row.issue}>
            {t("at", { odds: figures.odds(milliFromWire(order.odds)) })} · {t(STATUS[order.status])}
          </span>
        </p>
      </div>
      <b className={row.amount}>{amount}u</b>
      {order.status === 0 && (
        <Button
          className={styles.one}
          aria-label={t("recallBet", { kind, amount })}
          busy={recalling.busy === order.orderNo}
          aria-disabled={!open}
          onClick={() => recalling.recall(order.orderNo)}
        >
          {t("recallOne")}
        </Button>
      )}
    </li>
  );
}
