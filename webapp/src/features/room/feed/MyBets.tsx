import { useTranslations } from "use-intl";
import type { Order } from "../../../api/types.ts";
import { Button } from "../../../components/Button.tsx";
import { useBetText } from "../../../i18n/names.ts";
import { toneOf } from "../../../lib/betKinds.ts";
import { milliFromWire, minorFromWire } from "../../../lib/minorUnits.ts";
import { isPlaced } from "../draw/outcome.ts";
import type { RoomId } from "../roomAddress.ts";
import { useFormatters } from "../useFormatters.ts";
import row from "./LiveBets.module.css";
import styles from "./MyBets.module.css";
import { type RecallBets, useRecallBets } from "./useRecallBets.ts";

const STATUS = ["open", "settled", "recalled", "voided"] as const;

interface MyBetsProps {
  room: RoomId;
  issue: string | undefined;
  orders: readonly Order[];
  /** The balls of this round's draw roll: what they decide is not shown yet. */
  rolling: boolean;
  /** Whether there is a bet to recall, and still time. */
  recallable: boolean;
}

/** The player's bets on a round, in every hall of the game, with what can be recalled. */
export default function MyBets({ issue, orders, ...about }: MyBetsProps) {
  const { room, recallable } = about;
  const recalling = useRecallBets(room.gameId);
  const t = useTranslations("room.mine");
  const figures = useFormatters();
  const placed = orders.filter(isPlaced);
  const total = placed.reduce((sum, order) => sum + minorFromWire(order.quantity), 0);
  return (
    <section className={styles.mine} aria-label={t("list", { issue: issue ?? "" })}>
      <header className={styles.head}>
        <span>{t("total", { count: placed.length, amount: figures.units(total / 100) })}</span>
        <Button
          onClick={() => recalling.recall()}
          busy={recalling.busy === "all"}
          disabled={!recallable}
          data-testid="recall-all"
        >
          {t("recallAll")}
        </Button>
      </header>
      {orders.length === 0 && <p className={row.empty}>{t("empty")}</p>}
      <ul>
        {orders.map((order) => (
          <Mine key={order.orderNo} order={order} {...about} recalling={recalling} />
        ))}
      </ul>
    </section>
  );
}

interface MineProps extends Omit<MyBetsProps, "issue" | "orders"> {
  order: Order;
  recalling: RecallBets;
}

function Mine({ order, room, rolling, recallable, recalling }: MineProps) {
  const t = useTranslations("room.mine");
  const figures = useFormatters();
  const kind = useBetText()(order.play_type);
  const status = rolling && isPlaced(order) ? "open" : STATUS[order.status];
  const amount = figures.units(order.quantity);
  return (
    <li className={row.row} data-testid="my-bet" data-status={order.status}>
      <div className={row.who}>
        <p>
          <span className={row.kind} data-tone={toneOf(order.play_type)}>
            {kind}
          </span>
          {order.plan_id !== room.planId && <span className={row.issue}>{order.plan_name}</span>}
        </p>
        <p className={row.what}>
          <span className={row.issue}>
            {t("at", { odds: figures.odds(milliFromWire(order.odds)) })} · {t(status)}
          </span>
        </p>
      </div>
      <b className={row.amount}>{amount}u</b>
      {order.status === 0 && (
        <Button
          className={styles.one}
          aria-label={t("recallBet", { kind, amount })}
          busy={recalling.busy === order.orderNo}
          disabled={!recallable}
          onClick={() => recalling.recall(order.orderNo)}
        >
          {t("recallOne")}
        </Button>
      )}
    </li>
  );
}
