import { type ComponentProps, useId } from "react";
import styles from "./Switch.module.css";

interface SwitchProps extends Omit<ComponentProps<"input">, "type" | "role"> {
  label: string;
  note?: string;
}

/** On or off, from the press on. */
export function Switch({ label, note, ...rest }: SwitchProps) {
  const id = useId();
  return (
    <label className={styles.switch}>
      <span>
        <span id={`${id}-label`}>{label}</span>
        {note !== undefined && <small id={`${id}-note`}>{note}</small>}
      </span>
      <input
        {...rest}
        type="checkbox"
        role="switch"
        aria-labelledby={`${id}-label`}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
    </label>
  );
}
