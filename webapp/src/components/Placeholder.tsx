import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button } from "./Button.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import styles from "./Placeholder.module.css";

const ROWS = ["a", "b", "c", "d"];

/** A placeholder for rows, only before there is any data. */
export function Skeleton() {
  const t = useTranslations("common");
  return (
    <div className={styles.skeleton} role="status" aria-label={t("loading")}>
      {ROWS.map((row) => (
        <i key={row} />
      ))}
    </div>
  );
}

interface EmptyStateProps {
  text: string;
  icon?: IconName;
  /** A picture of its own in the icon's place. */
  art?: ReactNode;
  action?: string;
  onAction?: () => void;
}

/** Shown in the place of data where there is none: a text, a picture, perhaps a way on. */
export function EmptyState({ text, icon = "inbox", art, action, onAction }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      {art || <Icon name={icon} size={56} />}
      <p>{text}</p>
      {action !== undefined && <Button onClick={onAction}>{action}</Button>}
    </div>
  );
}
