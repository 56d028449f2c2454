import { useTranslations } from "use-intl";
import { classes } from "../../../lib/classes.ts";
import type { Drawn } from "../../../lib/draws.ts";
import { useReducedMotion } from "../../../lib/motion.ts";
import { ALL_SETTLED } from "../moment.ts";
import styles from "./DrawBalls.module.css";

const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0];
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
export function DrawBalls({ drawn, settled, idle = false }: DrawBallsProps) {
  const t = useTranslations();
  const whole = drawn !== null && settled >= ALL_SETTLED;
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
        {DIGITS.map((each, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a fixed reel, whose ends are alike.
          <span key={at}>{each}</span>
        ))}
      </span>
    </b>
  );
}
