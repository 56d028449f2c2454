import { useId } from "react";
import styles from "./ChipRadio.module.css";

interface Choice<Id extends number> {
  id: Id;
  label: string;
}

interface ChoicesProps<Id extends number> {
  label: string;
  choices: readonly Choice<Id>[];
  value: Id;
  onChange: (id: Id) => void;
}

/** One of several lengths, as radio buttons that look like chips. */
export function ChipRadio<Id extends number>(props: ChoicesProps<Id>) {
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
