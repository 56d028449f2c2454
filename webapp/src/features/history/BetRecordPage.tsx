import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import type { Order } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { IconButton } from "../../components/Button.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { useBetNames, useGameName, usePlanName } from "../../i18n/names.ts";
import { formatTime } from "../../lib/dates.ts";
import { useSession } from "../../lib/session.ts";
import {
  datesOf,
  emptyFilter,
  type Filter,
  FilterDrawer,
  RangeHead,
  RESULTS,
  resultOf,
} from "./FilterDrawer.tsx";
import { outcomeOf } from "./order.ts";
import { PAGE_ROWS, RowList, usePages } from "./RowList.tsx";
import styles from "./Rows.module.css";

interface Narrowing {
  game_id: number | undefined;
  issue_code: string | undefined;
}

/** A room's link asks for the bets of its game and round alone. */
function useNarrowing(): Narrowing {
  const [query] = useSearchParams();
  return {
    game_id: Number(query.get("game_id")) || undefined,
    issue_code: query.get("issue_code") || undefined,
  };
}

/** The player's bets that a filter asks for. */
function useOrders(filter: Filter, narrowing: Narrowing) {
  const { game_id, issue_code } = narrowing;
  const userId = useSession((session) => session.userId);
  const body = {
    ...datesOf(filter),
    ...resultOf(filter),
    ...(game_id && { game_id }),
    ...(issue_code && { issue_code }),
  };
  return usePages<Order>(["orders", userId, body], (cursor, signal) =>
    call("user/orderList", { ...body, limit: PAGE_ROWS, ...(cursor && { cursor }) }, { signal }),
  );
}

export default function BetRecordPage() {
  const t = useTranslations("history");
  const [filter, setFilter] = useState(emptyFilter);
  const [drawer, setDrawer] = useState(false);
  const dates = datesOf(filter);
  const narrowing = useNarrowing();
  const orders = useOrders(filter, narrowing);
  return (
    <Page
      body="fixed"
      top={
        <TopBar
          title={t("bets")}
          right={<IconButton icon="filter" label={t("filter")} onClick={() => setDrawer(true)} />}
        />
      }
    >
      <RowList
        pages={orders}
        empty={t(
          filter.type > 0 ? "noSuchBets" : narrowing.issue_code ? "noBetsOfRound" : "noBets",
        )}
        head={
          <>
            <RangeHead {...dates} />
            <Narrowed {...narrowing} />
          </>
        }
        row={(order) => <OrderRow key={order.orderNo} order={order} />}
      />
      <FilterDrawer
        open={drawer}
        onClose={() => setDrawer(false)}
        filter={filter}
        onConfirm={setFilter}
        types={[t("all"), ...RESULTS.map((result) => t(result))]}
        typesLabel={t("status")}
      />
    </Page>
  );
}

/** What the rows are narrowed to, and the way to all of them. */
function Narrowed({ game_id, issue_code }: Narrowing) {
  const t = useTranslations("history");
  const gameName = useGameName();
  if (game_id === undefined && issue_code === undefined) return null;
  const game = game_id === undefined ? "" : gameName(game_id, "");
  const round = issue_code === undefined ? "" : t("round", { issue: issue_code });
  return (
    <p className={styles.narrowed}>
      <span>{[game, round].filter((part) => part !== "").join(" · ")}</span>
      <Link to="/betRecord" replace>
        {t("allBets")}
      </Link>
    </p>
  );
}

function OrderRow({ order }: { order: Order }) {
  const t = useTranslations("history");
  const gameName = useGameName();
  const planName = usePlanName();
  const outcome = outcomeOf(order);
  const settled = outcome === "won" || outcome === "lost";
  return (
    <li>
      <Link
        className={styles.row}
        to={`/betDetail?${new URLSearchParams({ item: JSON.stringify(order) })}`}
      >
        <p className={styles.line}>
          <b>
            <KindLabel kind={order.play_type} />
          </b>
          <Amount value={order.quantity} className={styles.figure} />
        </p>
        <p className={styles.line}>
          <small>{planName(order.plan_id)}</small>
          <span className={styles.outcome} data-outcome={outcome}>
            {t(outcome)} {settled && <Amount value={order.profit} signed />}
          </span>
        </p>
        <p className={styles.line}>
          <small>
            {gameName(order.game_id, order.title)} {order.issue}
          </small>
          <small>{formatTime(order.createtime)}</small>
        </p>
      </Link>
    </li>
  );
}

/** A bet's name as useBetText writes it, its plain word an element of its own. */
function KindLabel({ kind }: { kind: string }) {
  const common = useTranslations("common");
  const { name, plain } = useBetNames()(kind);
  if (/^\d+$/.test(kind)) {
    return (
      <>
        {common("sum")} <span>{plain}</span>
      </>
    );
  }
  if (name === plain) return plain;
  const text = common("bothNames", { name, plain });
  const at = text.lastIndexOf(plain);
  return (
    <>
      {text.slice(0, at)}
      <span>{plain}</span>
      {text.slice(at + plain.length)}
    </>
  );
}
