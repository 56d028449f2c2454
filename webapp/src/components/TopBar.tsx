import type { ReactNode } from "react";
import { useLocation, useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { IconButton } from "./Button.tsx";
import styles from "./TopBar.module.css";

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
