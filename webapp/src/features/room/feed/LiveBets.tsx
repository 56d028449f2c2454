import { memo, useDeferredValue, useMemo } from "react";
import { useTranslations } from "use-intl";
import type { BetMessage, Order } from "../../../api/types.ts";
import { Icon } from "../../../components/Icon.tsx";
import { toast } from "../../../components/Toaster.tsx";
import { useBetNames, useBetText } from "../../../i18n/names.ts";
import { toneOf } from "../../../lib/betKinds.ts";
import { useStickToBottom } from "../../../lib/useStickToBottom.ts";
import { followVerdict, takesBets } from "../phase.ts";
import { nameColour } from "../RoomAvatar.tsx";
import type { RoomId } from "../roomAddress.ts";
import { currentIssue, phaseNow, useRoom } from "../roomStore.ts";
import { useFormatters } from "../useFormatters.ts";
import { useClosedText } from "../useHall.ts";
import { usePhase } from "../useRoomClock.ts";
import styles from "./LiveBets.module.css";

const SHORT_ISSUE = 3;

interface FollowProps {
  onFollow: (bet: BetMessage) => void;
}

interface LiveBetsProps extends FollowProps {
  /** The player's bets on this round: an order's number is its bet's id. */
  orders: readonly Order[];
}

/** The room's bets, newest last; scrolled to the end until the player scrolls up. */
export function LiveBets({ orders, onFollow }: LiveBetsProps) {
  const t = useTranslations("room");
  // Many bets arrive on entering: they are rendered in pieces, so that the page stays responsive.
  const bets = useDeferredValue(useRoom((room) => room.feed.bets));
  const placed = useRoom((room) => room.own);
  const own = useMemo(
    () => new Set([...placed, ...orders.map((order) => order.orderNo)]),
    [placed, orders],
  );
  const issue = useRoom(currentIssue);
  const open = takesBets(usePhase());
  const { box, behind, toEnd } = useStickToBottom(bets);
  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key. */}
      <section ref={box} className={styles.scroller} tabIndex={0} aria-label={t("liveList")}>
        {bets.length === 0 && <p className={styles.empty}>{t("noLive")}</p>}
        <ul>
          {bets.map((bet) => (
            <Row
              key={bet.id}
              bet={bet}
              mine={own.has(bet.id)}
              current={open && bet.issue === issue}
              onFollow={onFollow}
            />
          ))}
        </ul>
      </section>
      {behind && (
        <button type="button" className={styles.newest} onClick={toEnd}>
          <Icon name="down" size={16} />
          {t("newest")}
        </button>
      )}
    </div>
  );
}

interface RowProps extends FollowProps {
  bet: BetMessage;
  mine: boolean;
  current: boolean;
}

const Row = memo(function Row({ bet, mine, current, onFollow }: RowProps) {
  const t = useTranslations("room");
  const figures = useFormatters();
  const words = useBetNames()(bet.play_type);
  const kind = useBetText()(bet.play_type);
  const amount = figures.units(bet.quantity);
  const { nickname } = bet;
  return (
    <li className={styles.row} data-testid="live-bet" data-id={bet.id}>
      <span className={styles.avatar} style={nameColour(nickname)} aria-hidden="true">
        {Array.from(nickname)[0]}
      </span>
      <div className={styles.who}>
        <p>
          <span className={styles.name}>{nickname}</span>
          {bet.bot && <BotMark />}
          <span className={styles.issue} title={bet.issue}>
            {t("issueShort", { issue: bet.issue.slice(-SHORT_ISSUE) })}
          </span>
        </p>
        <p className={styles.what}>
          <span className={styles.kind} data-tone={toneOf(bet.play_type)}>
            {words.plain === words.name ? kind : words.name}
          </span>
          {words.plain !== words.name && <span className={styles.plain}>{words.plain}</span>}
        </p>
      </div>
      <b className={styles.amount}>{amount}u</b>
      {mine ? (
        <span className={styles.mine}>{t("you")}</span>
      ) : (
        <button
          type="button"
          className={styles.follow}
          data-current={current}
          aria-label={t("followBet", { nickname, kind, amount })}
          onClick={() => onFollow(bet)}
          data-testid="follow-button"
        >
          {t("follow")}
        </button>
      )}
    </li>
  );
});

/** Marks a bet of a demo bot. */
export function BotMark() {
  const t = useTranslations("room");
  return (
    <span className={styles.bot} title={t("botHint")} data-testid="bot">
      {t("bot")}
    </span>
  );
}

/** Says why a bet cannot be followed now; true when it can. */
export function useFollowCheck(room: RoomId): (bet: BetMessage) => boolean {
  const t = useTranslations("room");
  const closedText = useClosedText(room);
  return (bet) => {
    const verdict = followVerdict(phaseNow(), bet.issue, currentIssue(useRoom.getState()));
    if (verdict === "closed") toast(closedText(), "bad");
    if (verdict === "not_current") toast(t("notCurrent"), "bad");
    return verdict === "ok";
  };
}
