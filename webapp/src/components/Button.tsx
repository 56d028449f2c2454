import type { ComponentProps } from "react";
import { classes } from "../lib/classes.ts";
import styles from "./Button.module.css";
import { Icon, type IconName } from "./Icon.tsx";

interface ButtonProps extends ComponentProps<"button"> {
  /** Gold is for the one action of a screen. */
  variant?: "gold" | "plain" | "ghost" | "danger";
  full?: boolean;
  /** Shows a spinner and disables the button. */
  busy?: boolean;
}

export function Button({
  variant = "plain",
  full,
  busy,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles.button, styles[variant], full && styles.full, className)}
      aria-busy={busy || undefined}
      disabled={busy || rest.disabled}
    >
      {busy && <span className={styles.spin} aria-hidden="true" />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<"button"> {
  icon: IconName;
  /** Read aloud; the icon says it to the eye. */
  label: string;
}

export function IconButton({ icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" aria-label={label} {...rest} className={classes(styles.icon, className)}>
      <Icon name={icon} />
    </button>
  );
}
