import { useTranslations } from "use-intl";
import { classes } from "../lib/classes.ts";
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

/** Three digits and their sum, as balls show them. */
export interface Drawn {
  digits: [number, number, number];
  sum: number;
}

/** Reads "5 8 2 15"; null where there is no draw yet. */
export function parseCode(code: string): Drawn | null {
  const [a, b, c, sum, ...rest] = code.trim().split(/\s+/).map(Number);
  if (a === undefined || b === undefined || c === undefined || sum === undefined) return null;
  if (rest.length > 0 || [a, b, c, sum].some((part) => !Number.isInteger(part))) return null;
  return { digits: [a, b, c], sum };
}
