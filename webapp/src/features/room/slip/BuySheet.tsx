import { useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { useConfig } from "../../../api/commonQueries.ts";
import type { OddsList } from "../../../api/types.ts";
import { AgeBadge } from "../../../components/AgeBadge.tsx";
import { PlayMoney } from "../../../components/Amount.tsx";
import { EmptyState } from "../../../components/Placeholder.tsx";
import { Sheet } from "../../../components/Sheet.tsx";
import { useSession } from "../../../lib/session.ts";
import { clockText } from "../countdown.ts";
import { DRAW_SHOWN, type MaybeAmount } from "../draw/useDrawAnimation.ts";
import type { RoomAddress } from "../roomAddress.ts";
import { currentIssue, lastDraw, useRoom } from "../roomStore.ts";
import { usePhase, useSecondsLeft } from "../useRoomClock.ts";
import styles from "./BuySheet.module.css";
import { OddsGrid } from "./OddsGrid.tsx";
import { SlipSummary } from "./SlipSummary.tsx";
import { openSlip, type SlipTab, setTab, useSlip } from "./slipStore.ts";
import { usePlaceBets } from "./usePlaceBets.ts";
import { useRoundOdds } from "./useRoundOdds.ts";

interface BuySheetProps {
  room: RoomAddress;
  open: boolean;
  onClose: () => void;
  minimumUnits: number;
  /** The balance in u; delayed while a draw is animated. */
  money: MaybeAmount;
  /** How many of the last draw's balls and sum are shown; see useDrawAnimation. */
  settled: number;
}

/** The buy panel: what can be bought on two tabs, and below it the slip, always in view. */
export default function BuySheet(props: BuySheetProps) {
  const { room, open, onClose, minimumUnits, money, settled } = props;
  const t = useTranslations("room.slip");
  const owner = useSession((session) => session.userId);
  useLayoutEffect(() => openSlip(owner, room.planId), [owner, room.planId]);
  const buying = usePlaceBets(room, open, onClose);
  const issue = useRoom(currentIssue);
  const { data: odds, isError, refetch } = useRoundOdds(room, issue);
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title={t("title")}
      actions={
        <SlipSummary odds={odds} buying={buying} minimumUnits={minimumUnits} money={money} />
      }
    >
      <Panel odds={odds} onReload={isError ? () => void refetch() : undefined} settled={settled} />
    </Sheet>
  );
}

interface PanelProps {
  odds: OddsList | undefined;
  /** Given when reading the odds failed. */
  onReload: (() => void) | undefined;
  settled: number;
}

function Panel({ odds, onReload, settled }: PanelProps) {
  const t = useTranslations("room.slip");
  const common = useTranslations("common");
  const demo = useConfig()?.demo;
  const tab = useSlip((slip) => slip.tab);
  return (
    <div className={styles.panel}>
      <RoundLine settled={settled} />
      <SlipTabs />
      <div role="tabpanel" aria-label={t(tab)} className={styles.grids}>
        {odds && <OddsGrid odds={odds} />}
        {!odds && !onReload && <p role="status">{common("loading")}</p>}
        {!odds && onReload && (
          <EmptyState
            icon="alert"
            text={common("loadFailed")}
            action={common("reload")}
            onAction={onReload}
          />
        )}
      </div>
      {odds?.next.slice(0, 1).map(({ day }) => (
        <p key={day} className={styles.note}>
          {t("oddsNext", { day })}
        </p>
      ))}
      <p className={styles.note}>
        <AgeBadge /> <PlayMoney show={demo} /> {t("chance")}
      </p>
    </div>
  );
}

/** The round and its countdown, since the sheet covers those of the page. */
function RoundLine({ settled }: { settled: number }) {
  const t = useTranslations("room");
  const phase = usePhase();
  const seconds = useSecondsLeft();
  const round = useRoom((room) => room.heart?.issue ?? null);
  const draw = useRoom(lastDraw);
  const sum = settled < DRAW_SHOWN ? "…" : String(draw?.code);
  return (
    <p className={styles.round} data-phase={phase}>
      <span>{round ? t("round", { issue: round.issue }) : t("noRound")}</span>
      {draw && <span className={styles.last}>{t("slip.lastDraw", { sum })}</span>}
      <b>
        {t(`ring.${phase}`)} {round && phase !== "game_closed" && clockText(seconds * 1000)}
      </b>
    </p>
  );
}

const TABS: readonly SlipTab[] = ["base", "numbers"];

/** The panel's two tabs, each with the number of bets selected on it. */
function SlipTabs() {
  const t = useTranslations("room.slip");
  const row = useRef<HTMLDivElement>(null);
  const tab = useSlip((slip) => slip.tab);
  const turn = () => {
    const next = TABS[1 - TABS.indexOf(tab)] ?? "base";
    setTab(next);
    row.current?.querySelectorAll("button")[TABS.indexOf(next)]?.focus();
  };
  return (
    <div
      ref={row}
      className={styles.row}
      role="tablist"
      aria-label={t("tabs")}
      onKeyDown={(press) => ["ArrowLeft", "ArrowRight"].includes(press.key) && turn()}
    >
      {TABS.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          aria-selected={each === tab}
          tabIndex={each === tab ? 0 : -1}
          onClick={() => setTab(each)}
          data-testid={`tab-${each}`}
        >
          {t(each)}
          <TabCount tab={each} />
        </button>
      ))}
    </div>
  );
}

function TabCount({ tab }: { tab: SlipTab }) {
  const count = useSlip(
    ({ selected }) =>
      [...selected.keys()].filter((kind) => (tab === "numbers") === /^\d/.test(kind)).length,
  );
  return count > 0 && <span className={styles.count}>{count}</span>;
}
