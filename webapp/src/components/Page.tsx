import type { ReactNode } from "react";
import { classes } from "../lib/classes.ts";
import styles from "./Page.module.css";

interface PageProps {
  top?: ReactNode;
  bottom?: ReactNode;
  children: ReactNode;
  /** `fixed` when the page scrolls within itself (tabs, the room). */
  body?: "scroll" | "fixed";
  className?: string | undefined;
}

/** The shell of every page: a bar, a body that alone scrolls, and what stays at the bottom. */
export function Page({ top, bottom, children, body = "scroll", className }: PageProps) {
  return (
    <div className={styles.page}>
      {top ?? <span />}
      <main
        className={classes(styles.body, styles[body], className)}
        // What scrolls must scroll by keys too.
        tabIndex={body === "scroll" ? 0 : undefined}
      >
        {children}
      </main>
      {bottom}
    </div>
  );
}
