import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import type { Draw } from "../../../api/types.ts";
import { classes } from "../../../lib/classes.ts";
import { clockText, fractionLeft, roundSeconds } from "../countdown.ts";
import { useRoom } from "../roomStore.ts";
import { usePhase, useSecondsLeft } from "../useRoomClock.ts";
import styles from "./DrawPanel.module.css";

/** The time to the close, or to the draw once the round is closed. */
export function Countdown({ draws }: { draws: readonly Draw[] }) {
  const t = useTranslations("room");
  const phase = usePhase();
  const secondsLeft = useSecondsLeft();
  // While staff closed this hall, the game's round continues, but not here.
  const round = useRoom(({ heart }) => (heart?.game_status ? heart.issue : null));
  const seconds = roundSeconds(round?.draws_at, draws);
  const label = t(`ring.${phase}`);
  const time = round === null ? "–:––" : clockText(secondsLeft * 1000);
  return (
    <div
      className={styles.ring}
      role="timer"
      aria-label={t("countdown", { label, time })}
      data-testid="room-countdown"
    >
      <CountdownRing
        fraction={fractionLeft(phase, round, secondsLeft, seconds)}
        urgent={phase === "closing"}
      >
        <b className={styles.clock}>{time}</b>
        <span className={styles.until}>{label}</span>
      </CountdownRing>
    </div>
  );
}

interface CountdownRingProps {
  /** What is left, 1 to 0. */
  fraction: number;
  urgent?: boolean;
  children: ReactNode;
}

/** A countdown as a ring around its text. */
function CountdownRing({ fraction, urgent, children }: CountdownRingProps) {
  const left = Math.min(1, Math.max(0, fraction));
  return (
    <div className={classes(styles.ringRing, urgent && styles.urgent)}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle cx="50" cy="50" r="45" className={styles.track} />
        {left > 0 && (
          <circle
            cx="50"
            cy="50"
            r="45"
            className={styles.left}
            pathLength="1"
            strokeDasharray={`${left} 1`}
          />
        )}
      </svg>
      <div className={styles.inside}>{children}</div>
    </div>
  );
}
