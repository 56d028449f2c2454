import { Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import type { Draw } from "../../../api/types.ts";
import type { Drawn } from "../../../components/Balls.tsx";
import { Icon } from "../../../components/Icon.tsx";
import { Card } from "../../../components/Page.tsx";
import { Sheet } from "../../../components/Sheet.tsx";
import { labelsOf, toneOf, winsOn } from "../../../lib/betKinds.ts";
import { classes } from "../../../lib/classes.ts";
import { lazyWithRetry } from "../../../lib/lazyWithRetry.ts";
import { useReducedMotion } from "../../../lib/useReducedMotion.ts";
import type { RoomAddress } from "../roomAddress.ts";
import { lastDraw, useRoom } from "../roomStore.ts";
import { usePhase } from "../useRoomClock.ts";
import { Countdown } from "./Countdown.tsx";
import styles from "./DrawPanel.module.css";
import { drawnOf } from "./latestDraws.ts";
import { DRAW_SHOWN, IDLE } from "./useDrawAnimation.ts";

interface DrawPanelProps {
  room: RoomAddress;
  draws: readonly Draw[];
  /** How many of the last draw's balls and sum are shown; see useDrawAnimation. */
  settled: number;
}

/** The countdown, the last draw and those before it. */
export function DrawPanel({ room, draws, settled }: DrawPanelProps) {
  const awaited = usePhase() === "drawing";
  const staged = awaited || settled < IDLE;
  return (
    <Card className={styles.hero}>
      <div className={classes(styles.main, staged && styles.staged)}>
        <Countdown draws={draws} />
        <LastDraw awaited={awaited} settled={settled} />
      </div>
      <DrawStrip room={room} draws={draws} settled={settled} />
    </Card>
  );
}

function LastDraw({ awaited, settled }: { awaited: boolean; settled: number }) {
  const t = useTranslations("room");
  const kinds = useTranslations("common.kinds");
  const draw = useRoom(lastDraw);
  const issue = useRoom((room) => room.heart?.issue?.issue);
  const whole = !awaited && settled >= DRAW_SHOWN;
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

/** The draw as a sentence for screen readers, announced when it changes. */
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

const REEL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0];
const PLACES = ["first", "second", "third"] as const;
const SIGNS = { first: "+", second: "+", third: "=" } as const;

interface DrawBallsProps {
  /** null while the draw is awaited: all balls turn. */
  drawn: Drawn | null;
  /** How many of three balls and the sum have come to rest. */
  settled: number;
  /** Nothing is awaited and nothing is known: the balls are empty and rest. */
  idle?: boolean;
}

/** Three balls that come to rest one after another, then their sum. */
function DrawBalls({ drawn, settled, idle = false }: DrawBallsProps) {
  const t = useTranslations();
  const whole = drawn !== null && settled >= DRAW_SHOWN;
  const [a = "", b = "", c = ""] = drawn?.digits.map(String) ?? [];
  const label = whole
    ? t("common.ballsLabel", { a, b, c, sum: String(drawn.sum) })
    : t(idle ? "room.noDraw" : "room.drawingNow");
  return (
    <div className={styles.balls} role="img" aria-label={label}>
      {PLACES.map((place, at) => (
        <span key={place} className={styles.place}>
          <Ball digit={at < settled ? drawn?.digits[at] : undefined} still={idle} />
          <i>{SIGNS[place]}</i>
        </span>
      ))}
      <b className={classes(styles.ball, styles.sum, whole && styles.landed)}>
        {whole ? drawn.sum : "?"}
      </b>
    </div>
  );
}

function Ball({ digit, still }: { digit: number | undefined; still: boolean }) {
  const reduced = useReducedMotion();
  if (digit !== undefined) return <b className={classes(styles.ball, styles.landed)}>{digit}</b>;
  if (still || reduced) return <b className={styles.ball}>–</b>;
  return (
    <b className={classes(styles.ball, styles.turning)}>
      <span className={styles.reel}>
        {REEL.map((each, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a fixed reel, whose ends are alike.
          <span key={at}>{each}</span>
        ))}
      </span>
    </b>
  );
}

const EarlierDraws = lazyWithRetry(() => import("./EarlierDraws.tsx"));
const IN_STRIP = 12;

interface DrawStripProps {
  room: RoomAddress;
  draws: readonly Draw[];
  /** How many of the last draw's balls and sum are shown; see useDrawAnimation. */
  settled: number;
}

/** The sums of earlier draws in a strip; a tap lists the draws themselves. */
function DrawStrip({ room, draws, settled }: DrawStripProps) {
  const t = useTranslations("room");
  const [open, setOpen] = useState(false);
  const fresh = useRoom((state) => state.freshDraw?.issue_code);
  const shown = draws.filter((draw) => settled >= DRAW_SHOWN || draw.issue_code !== fresh);
  return (
    <div className={styles.earlier}>
      <Strip draws={shown.slice(0, IN_STRIP)} />
      <button
        type="button"
        className={styles.open}
        aria-label={t("earlierOpen")}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        data-testid="earlier-open"
      >
        <Icon name="down" size={16} />
      </button>
      <Sheet open={open} onClose={() => setOpen(false)} title={t("earlier")}>
        <Suspense fallback={null}>
          <EarlierDraws room={room} draws={shown} />
        </Suspense>
      </Sheet>
    </div>
  );
}

function Strip({ draws }: { draws: readonly Draw[] }) {
  const t = useTranslations("room");
  return (
    <ol className={styles.strip} aria-label={t("earlier")}>
      {draws.map((draw) => (
        <li key={draw.issue_code} data-high={winsOn("big", Number(draw.code))}>
          <span className="visually-hidden">
            {t("earlierItem", { issue: draw.issue_code, sum: String(draw.code) })}
          </span>
          <span aria-hidden="true">{draw.code}</span>
        </li>
      ))}
    </ol>
  );
}
