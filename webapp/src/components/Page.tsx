import type { ComponentProps, ReactNode } from "react";
import { useLocation, useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { classes } from "../lib/classes.ts";
import { IconButton } from "./Button.tsx";
import styles from "./Page.module.css";

interface PageProps {
  top?: ReactNode;
  bottom?: ReactNode;
  children: ReactNode;
  /** `fixed` when the page scrolls within itself (tabs, the room). */
  body?: "scroll" | "fixed";
  className?: string | undefined;
}

/** The layout of every page: a top bar, a scrolling body, and a bottom bar. */
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

interface TopBarProps {
  title: ReactNode;
  /** Defaults to one step back in history, or home where there is none. */
  onBack?: () => void;
  right?: ReactNode;
}

export function TopBar({ title, onBack, right }: TopBarProps) {
  const t = useTranslations("common");
  const navigate = useNavigate();
  const { key } = useLocation();
  const back = onBack ?? (() => (key === "default" ? navigate("/") : navigate(-1)));
  return (
    <header className={styles.bar}>
      <IconButton icon="back" label={t("back")} onClick={back} />
      <h1>{title}</h1>
      <div className={styles.right}>{right}</div>
    </header>
  );
}

export function Card({ className, ...rest }: ComponentProps<"section">) {
  return <section {...rest} className={classes(styles.card, className)} />;
}
