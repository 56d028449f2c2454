import { type ComponentProps, useId } from "react";
import styles from "./Switch.module.css";

interface SwitchProps extends Omit<ComponentProps<"input">, "type" | "role"> {
  label: string;
  note?: string;
  checked: boolean;
}

/** On or off, from the press on. */
export function Switch({ label, note, checked, ...rest }: SwitchProps) {
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
        checked={checked}
        aria-checked={checked}
        aria-labelledby={`${id}-label`}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
    </label>
  );
}
