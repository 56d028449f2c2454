import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import styles from "./EmptyState.module.css";
import { Icon, type IconName } from "./Icon.tsx";

interface EmptyStateProps {
  text: string;
  icon?: IconName;
  /** A picture of its own in the icon's place. */
  art?: ReactNode;
  action?: string;
  onAction?: () => void;
}

export function EmptyState({ text, icon = "inbox", art, action, onAction }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      {art || <Icon name={icon} size={56} />}
      <p>{text}</p>
      {action !== undefined && <Button onClick={onAction}>{action}</Button>}
    </div>
  );
}
