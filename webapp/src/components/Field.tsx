import { type ComponentProps, useId } from "react";
import styles from "./Field.module.css";

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
}

export function Field({ label, hint, error, ...rest }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        className={styles.input}
        aria-invalid={error !== undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={error === undefined ? styles.hint : styles.error}>
          {note}
        </p>
      )}
    </div>
  );
}

interface CheckProps extends Omit<ComponentProps<"input">, "type"> {
  label: string;
}

export function Check({ label, ...rest }: CheckProps) {
  return (
    <label className={styles.check}>
      <input {...rest} type="checkbox" />
      <span>{label}</span>
    </label>
  );
}
