import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { Draw } from "../../../api/types.ts";
import { Amount } from "../../../components/Amount.tsx";
import { IconButton } from "../../../components/Button.tsx";
import { Icon } from "../../../components/Icon.tsx";
import { useBetText } from "../../../i18n/names.ts";
import { classes } from "../../../lib/classes.ts";
import { useReducedMotion } from "../../../lib/useReducedMotion.ts";
import { type RoomAddress, useDrawsPath } from "../roomAddress.ts";
import { useFormatters } from "../useFormatters.ts";
import styles from "./OutcomeSection.module.css";
import { type AnsweredBet, netMinor, type Outcome } from "./outcome.ts";
import { useRoundOutcome } from "./useRoundOutcome.ts";
import { useWinAlert } from "./useWinAlert.ts";

const ANSWERS_MS = 15_000;
const WIN_MS = 20_000;

interface OutcomeSectionProps {
  room: RoomAddress;
  /** How many of the last draw's balls and sum are shown; see useDrawAnimation. */
  settled: number;
}

/** The player's result of a draw: each bet answered, and a win announced. */
export default function OutcomeSection({ room, settled }: OutcomeSectionProps) {
  const reduced = useReducedMotion();
  const { draw, answers, win } = useRoundOutcome(room.gameId, settled);
  const answered = answers.length > 0 && draw ? draw.issue_code : null;
  const [showAnswers, hideAnswers] = useForAWhile(answered, ANSWERS_MS);
  const [showWin, hideWin] = useForAWhile(
    useAfter(win?.issue ?? null, reduced ? 0 : answeredMs(answers)),
    WIN_MS,
  );
  const shown = showWin ? win : null;
  useWinAlert(shown);
  const hideBoth = () => {
    hideWin();
    if (shown?.issue === draw?.issue_code) hideAnswers();
  };
  return (
    <div ref={useRoomAbove()} className={styles.consequences}>
      {shown && <WinBanner outcome={shown} room={room} onDone={hideBoth} />}
      {showAnswers && draw && (
        <Answers
          draw={draw}
          bets={answers}
          bannerShown={shown?.issue === draw.issue_code}
          onDone={hideAnswers}
        />
      )}
    </div>
  );
}

/** Sets the height of this element as --above on the list around it. */
function useRoomAbove() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    const list = element?.parentElement;
    if (!element || !list) return;
    const resized = new ResizeObserver(() =>
      list.style.setProperty("--above", `${element.offsetHeight}px`),
    );
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return place;
}

const ONE_BY_ONE_MS = 450;

interface AnswersProps {
  draw: Draw;
  bets: readonly AnsweredBet[];
  /** The banner above already shows round and result. */
  bannerShown: boolean;
  onDone: () => void;
}

/** The player's bets on the drawn round, answered one by one. */
function Answers({ draw, bets, bannerShown, onDone }: AnswersProps) {
  const t = useTranslations("room.answers");
  const common = useTranslations("common");
  const issue = draw.issue_code;
  return (
    <section
      className={styles.answers}
      data-joined={bannerShown}
      aria-label={t("title", { issue })}
      data-testid="answers"
    >
      {!bannerShown && (
        <header>
          <h2>{t("title", { issue })}</h2>
          <IconButton icon="close" label={common("close")} onClick={onDone} />
        </header>
      )}
      <ul>
        {bets.map((bet, at) => (
          <Answer key={bet.orderNo} bet={bet} afterMs={at * ONE_BY_ONE_MS} />
        ))}
      </ul>
      {!bannerShown && (
        <p className={styles.total} style={{ animationDelay: `${bets.length * ONE_BY_ONE_MS}ms` }}>
          {t("total")}
          <Amount value={netMinor(bets) / 100} signed />
        </p>
      )}
    </section>
  );
}

function Answer({ bet, afterMs }: { bet: AnsweredBet; afterMs: number }) {
  const t = useTranslations("room.answers");
  const kind = useBetText()(bet.kind);
  const figures = useFormatters();
  return (
    <li
      className={styles.answer}
      data-hit={bet.hit}
      style={{ animationDelay: `${afterMs}ms` }}
      data-testid="answer"
    >
      <Icon name={bet.hit ? "check" : "close"} size={16} />
      <span className={styles.kind}>
        {kind} · {figures.units(bet.stakeMinor / 100)}u
      </span>
      <span>{bet.hit ? t("hit") : t("miss")}</span>
      <Amount value={(bet.payoutMinor - bet.stakeMinor) / 100} signed />
    </li>
  );
}

interface WinProps {
  outcome: Outcome;
  room: RoomAddress;
  onDone: () => void;
}

/**
 * Shown briefly, once a round: the payout, the net result, and a link to
 * check the draw. A payout below the stakes is shown as a loss, not as a win.
 */
function WinBanner({ outcome, room, onDone }: WinProps) {
  const t = useTranslations("room.win");
  const common = useTranslations("common");
  const figures = useFormatters();
  const drawsPath = useDrawsPath(room);
  const net = outcome.payoutMinor - outcome.stakeMinor;
  return (
    <section
      className={classes(styles.win, net > 0 && styles.gain)}
      role="status"
      data-testid="win-banner"
    >
      <div>
        <p>{t(net > 0 ? "title" : "paidTitle", { issue: outcome.issue })}</p>
        <p className={styles.paid}>{t("paid", { amount: figures.money(outcome.payoutMinor) })}</p>
        <p className={styles.net}>
          {t("net", { amount: figures.signed(net) })}
          <Link to={drawsPath(outcome.issue)}>{t("check")}</Link>
        </p>
      </div>
      <IconButton icon="close" label={common("close")} onClick={onDone} />
    </section>
  );
}

/** How long the answers take to appear one by one; 0 when there are none. */
function answeredMs(bets: readonly AnsweredBet[]): number {
  return bets.length === 0 ? 0 : (bets.length + 1) * ONE_BY_ONE_MS;
}

/** Returns `about` after a delay. */
function useAfter(about: string | null, ms: number): string | null {
  const [reached, setReached] = useState<string | null>(null);
  useEffect(() => {
    if (about === null) return;
    const timer = setTimeout(() => setReached(about), ms);
    return () => clearTimeout(timer);
  }, [about, ms]);
  return about !== null && reached === about ? about : null;
}

/** True for a while after `about` changed, until dismissed. */
function useForAWhile(about: string | null, ms: number): [boolean, () => void] {
  const [gone, setGone] = useState<string | null>(null);
  useEffect(() => {
    if (about === null) return;
    const timer = setTimeout(() => setGone(about), ms);
    return () => clearTimeout(timer);
  }, [about, ms]);
  return [about !== null && gone !== about, () => setGone(about)];
}
