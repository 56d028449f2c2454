import type { ReactNode } from "react";
import { classes } from "../lib/classes.ts";
import styles from "./Ring.module.css";

interface RingProps {
  /** What is left, 1 to 0. */
  fraction: number;
  urgent?: boolean;
  children: ReactNode;
}

/** A countdown as a ring; what it says stands inside. */
export function Ring({ fraction, urgent, children }: RingProps) {
  const left = Math.min(1, Math.max(0, fraction));
  return (
    <div className={classes(styles.ring, urgent && styles.urgent)}>
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
