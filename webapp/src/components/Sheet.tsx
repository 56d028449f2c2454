import { type ReactNode, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { classes } from "../lib/classes.ts";
import { IconButton } from "./Button.tsx";
import styles from "./Sheet.module.css";

interface SheetProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** The side from which it slides in; `center` is a dialog. */
  side?: "bottom" | "right" | "center";
  children: ReactNode;
  /** Buttons that stay in view below what scrolls. */
  actions?: ReactNode;
}

/** A native modal dialog: focus, Esc and roles are the browser's. A press outside closes it. */
export function Sheet({ open, onClose, title, side = "bottom", children, actions }: SheetProps) {
  const t = useTranslations("common");
  const dialog = useRef<HTMLDialogElement>(null);
  const closedHere = useRef(false);
  useEffect(() => {
    const element = dialog.current;
    if (open && element && !element.open) element.showModal();
    if (open || !element?.open) return;
    closedHere.current = true;
    element.close();
  }, [open]);
  // The close event fires later, also after close() above: the sheet may be open again by then.
  const onClosed = () => {
    if (!closedHere.current) onClose();
    closedHere.current = false;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a native dialog.
    <dialog
      ref={dialog}
      className={classes(styles.sheet, styles[side])}
      aria-label={title}
      onClose={onClosed}
      onClick={(press) => press.target === dialog.current && onClose()}
    >
      {open && (
        <div className={styles.inside}>
          <header className={styles.head}>
            <h2>{title}</h2>
            <IconButton icon="close" label={t("close")} onClick={onClose} />
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys too. */}
          <div className={styles.body} tabIndex={0}>
            {children}
          </div>
          {actions && <footer className={styles.actions}>{actions}</footer>}
        </div>
      )}
    </dialog>
  );
}
