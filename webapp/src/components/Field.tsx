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
  error?: string | undefined;
}

export function Check({ label, error, ...rest }: CheckProps) {
  const id = useId();
  const wrong = error !== undefined && { "aria-invalid": true, "aria-describedby": id };
  return (
    <div>
      <label className={styles.check}>
        <input {...rest} {...wrong} type="checkbox" />
        <span>{label}</span>
      </label>
      {error !== undefined && (
        <p id={id} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}
