import { useTranslations } from "use-intl";
import type { Draw } from "../../../api/types.ts";
import { Card } from "../../../components/Card.tsx";
import { Ring } from "../../../components/Ring.tsx";
import { classes } from "../../../lib/classes.ts";
import { drawnOf } from "../model/draws.ts";
import { labelsOf, toneOf } from "../model/kinds.ts";
import { clockText } from "../model/phase.ts";
import { fractionLeft, roundSeconds } from "../model/span.ts";
import { ALL_SETTLED, AT_REST } from "../moment.ts";
import type { RoomAddress } from "../room.ts";
import { lastDraw, useRoom } from "../store.ts";
import { usePhase, useSecondsLeft } from "../time.ts";
import { DrawBalls } from "./DrawBalls.tsx";
import { Earlier } from "./Earlier.tsx";
import styles from "./Hero.module.css";

interface HeroProps {
  room: RoomAddress;
  draws: readonly Draw[];
  /** How many of the last draw's balls and sum are shown; see useSettled. */
  settled: number;
}

/** The countdown, the last draw and those before it. */
export function Hero({ room, draws, settled }: HeroProps) {
  const awaited = usePhase() === "drawing";
  const staged = awaited || settled < AT_REST;
  return (
    <Card className={styles.hero}>
      <div className={classes(styles.main, staged && styles.staged)}>
        <Countdown draws={draws} />
        <LastDraw awaited={awaited} settled={settled} />
      </div>
      <Earlier room={room} draws={draws} settled={settled} />
    </Card>
  );
}

function Countdown({ draws }: { draws: readonly Draw[] }) {
  const t = useTranslations("room");
  const phase = usePhase();
  const secondsLeft = useSecondsLeft();
  // Beneath a hall that staff shut the game's round runs on: nothing comes of it here.
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
      <Ring
        fraction={fractionLeft(phase, round, secondsLeft, seconds)}
        urgent={phase === "closing"}
      >
        <b className={styles.clock}>{time}</b>
        <span className={styles.until}>{label}</span>
      </Ring>
    </div>
  );
}

function LastDraw({ awaited, settled }: { awaited: boolean; settled: number }) {
  const t = useTranslations("room");
  const kinds = useTranslations("common.kinds");
  const draw = useRoom(lastDraw);
  const issue = useRoom((room) => room.heart?.issue?.issue);
  const whole = !awaited && settled >= ALL_SETTLED;
  const shownIssue = awaited ? issue : draw?.issue_code;
  return (
    <div className={styles.draw} data-testid="last-draw" data-issue={shownIssue}>
      <p className={styles.caption}>
        <span>{whole ? t("lastDraw") : t("drawingNow")}</span>
        {shownIssue !== undefined && <span>{t("round", { issue: shownIssue })}</span>}
      </p>
      <DrawBalls
        drawn={draw && !awaited ? drawnOf(draw) : null}
        settled={awaited ? 0 : settled}
        idle={draw === null && !awaited}
      />
      <ul className={styles.labels}>
        {whole &&
          draw &&
          labelsOf(Number(draw.code)).map((half) => (
            <li key={half} data-tone={toneOf(half)}>
              {kinds(half)}
            </li>
          ))}
      </ul>
      {whole && draw && <Said draw={draw} />}
    </div>
  );
}

/** The draw in words, for those who listen; said when it changes. */
function Said({ draw }: { draw: Draw }) {
  const t = useTranslations("room");
  const kinds = useTranslations("common.kinds");
  const [a = "", b = "", c = ""] = [draw.site_1, draw.site_2, draw.site_3].map(String);
  const labels = labelsOf(Number(draw.code))
    .map((half) => kinds(half))
    .join(", ");
  return (
    <span className="visually-hidden" role="status">
      {t("drawSaid", { issue: draw.issue_code, a, b, c, sum: String(draw.code), labels })}
    </span>
  );
}
