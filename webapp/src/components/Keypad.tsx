import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Icon } from "./Icon.tsx";
import styles from "./Keypad.module.css";
import { Sheet } from "./Sheet.tsx";

const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "", "0", "Backspace"] as const;
const PLACES = [0, 1, 2, 3, 4, 5] as const;

interface CodePadProps {
  title?: string;
  hint?: string | undefined;
  /** Why the last code was refused; the pad is empty again by then. */
  error?: string | undefined;
  /** The code is being checked: it stays, and keys are ignored. */
  busy?: boolean;
  /** No more tries are left, as `error` says. */
  locked?: boolean;
  /** Called on the sixth digit, once for each code. */
  onCode: (code: string) => void;
}

/** Six dots and ten keys for a code of six digits, which a keyboard types as well. */
export function CodePad({ title, hint, error, busy, locked, onCode }: CodePadProps) {
  const t = useTranslations("security.keypad");
  const box = useRef<HTMLFieldSetElement>(null);
  const [code, press] = useCode(onCode, Boolean(busy), Boolean(locked));
  useKeyboard(box, press);
  const between = code === "" || code.length === CODE_LENGTH;
  const wrong = error !== undefined && between && !busy;
  return (
    <fieldset ref={box} className={styles.pad} aria-busy={busy || undefined}>
      <legend className={title === undefined ? "visually-hidden" : styles.title}>
        {title ?? t("label")}
      </legend>
      {hint !== undefined && <p className={styles.hint}>{hint}</p>}
      <div className={styles.dots} data-busy={busy} data-wrong={wrong} aria-hidden="true">
        {PLACES.map((place) => (
          <i key={place} data-filled={place < code.length} />
        ))}
      </div>
      <p className="visually-hidden" role="status">
        {busy ? t("busy") : t("typed", { count: code.length, total: CODE_LENGTH })}
      </p>
      <p className={styles.error} role="alert">
        {wrong && error}
      </p>
      <div className={styles.keys}>
        {KEYS.map((key) =>
          key === "" ? (
            <span key="none" />
          ) : (
            <button
              key={key}
              type="button"
              aria-label={key === "Backspace" ? t("delete") : undefined}
              disabled={busy || locked}
              onClick={() => press(key)}
            >
              {key === "Backspace" ? <Icon name="backspace" /> : key}
            </button>
          ),
        )}
      </div>
    </fieldset>
  );
}

interface KeypadProps extends CodePadProps {
  open: boolean;
  title: string;
  onClose: () => void;
}

/** The same in a sheet of its own, which keeps the focus. */
export function Keypad({ open, title, onClose, ...pad }: KeypadProps) {
  return (
    <Sheet open={open} onClose={onClose} title={title}>
      <CodePad {...pad} />
    </Sheet>
  );
}

/** The typed code, and the function that types a key. The code is cleared after a check. */
function useCode(onCode: (code: string) => void, busy: boolean, locked: boolean) {
  const [code, setCode] = useState("");
  useEffect(() => {
    if (!busy) setCode("");
  }, [busy]);
  const press = (key: string) => {
    if (busy || locked) return;
    const typed = codeTyped(code, key);
    if (typed === code) return;
    setCode(typed);
    if (typed.length === CODE_LENGTH) onCode(typed);
  };
  return [code, press] as const;
}

/** Keys pressed anywhere, but not those meant for a field, or for a dialog over the pad. */
function useKeyboard(box: { current: HTMLElement | null }, press: (key: string) => void): void {
  const typed = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
    const top = [...document.querySelectorAll("dialog:modal")].at(-1);
    if (top !== undefined && !top.contains(box.current)) return;
    press(event.key);
  });
  useEffect(() => {
    document.addEventListener("keydown", typed);
    return () => document.removeEventListener("keydown", typed);
  }, []);
}

/** Digits of a security code. */
const CODE_LENGTH = 6;

/** The code after a key. A digit after a complete code starts a new one. */
export function codeTyped(before: string, key: string): string {
  if (key === "Backspace") return before.slice(0, -1);
  if (!/^[0-9]$/.test(key)) return before;
  return before.length >= CODE_LENGTH ? key : before + key;
}
