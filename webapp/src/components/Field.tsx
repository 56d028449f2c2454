import { type ComponentProps, type RefObject, useEffect, useId, useRef, useState } from "react";
import { useFormatter, useLocale } from "use-intl";
import { dayOf, FIRST_DAY } from "../lib/dates.ts";
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

interface DayFieldProps extends Omit<ComponentProps<typeof Field>, "type" | "min" | "max"> {
  /** yyyy-mm-dd, or "". */
  value: string;
}

/**
 * A day up to today. The browser shows it in its own language, so the label repeats it in the
 * page's.
 */
export function DayField({ label, value, ...rest }: DayFieldProps) {
  const format = useFormatter();
  const day = value && format.dateTime(new Date(value), { dateStyle: "long", timeZone: "UTC" });
  const said = day ? `${label} · ${day}` : label;
  const lang = useLocale();
  return (
    <Field
      {...rest}
      type="date"
      lang={lang}
      min={FIRST_DAY}
      max={dayOf()}
      label={said}
      value={value}
    />
  );
}

interface SwitchProps extends Omit<ComponentProps<"input">, "type" | "role"> {
  label: string;
  note?: string;
  checked: boolean;
}

/** A switch that takes effect immediately. */
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

interface Choice<Id extends number> {
  id: Id;
  label: string;
}

interface ChipRadioProps<Id extends number> {
  label: string;
  choices: readonly Choice<Id>[];
  value: Id;
  onChange: (id: Id) => void;
}

/** One of a few choices, as radio buttons that look like chips. */
export function ChipRadio<Id extends number>(props: ChipRadioProps<Id>) {
  const { label, choices, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className={styles.choices}>
      <legend>{label}</legend>
      {choices.map(({ id, label: words }) => (
        <label key={id}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={id === value}
            onChange={() => onChange(id)}
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}

/**
 * The ref of a form, and a function that focuses its first invalid field once the errors are
 * rendered.
 */
export function useFocusFirstError(): [RefObject<HTMLFormElement | null>, () => void] {
  const form = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  return [form, () => setRefusals((count) => count + 1)];
}
