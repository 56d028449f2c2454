import { useTranslations } from "use-intl";
import { classes } from "../lib/classes.ts";
import type { Drawn } from "../lib/draws.ts";
import styles from "./Balls.module.css";

interface BallsProps {
  drawn: Drawn | null;
  size?: "small" | "large";
  /** How many of the four (three digits, then the sum) are settled; the rest still turn. */
  settled?: number;
}

/** Three balls and their sum; dashes where nothing is drawn yet. */
export function Balls({ drawn, size = "small", settled = 4 }: BallsProps) {
  const t = useTranslations("common");
  const [a, b, c] = drawn?.digits ?? [];
  const label = drawn && {
    a: String(a),
    b: String(b),
    c: String(c),
    sum: String(drawn.sum),
  };
  const parts = [a, "+", b, "+", c, "=", drawn?.sum] as const;
  return (
    <div
      className={classes(styles.balls, styles[size])}
      role="img"
      aria-label={label ? t("ballsLabel", label) : t("none")}
    >
      {parts.map((part, at) => {
        const place = at / 2;
        if (typeof part === "string") {
          // biome-ignore lint/suspicious/noArrayIndexKey: seven fixed places.
          return <i key={at}>{part}</i>;
        }
        const turning = drawn !== null && place >= settled;
        return (
          <b
            // biome-ignore lint/suspicious/noArrayIndexKey: seven fixed places.
            key={at}
            className={classes(styles.ball, place === 3 && styles.sum, turning && styles.turning)}
          >
            {part === undefined || turning ? "–" : part}
          </b>
        );
      })}
    </div>
  );
}
