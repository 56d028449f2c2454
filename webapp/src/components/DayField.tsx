import type { ComponentProps } from "react";
import { useFormatter, useLocale } from "use-intl";
import { dayOf, FIRST_DAY } from "../lib/dates.ts";
import { Field } from "./Field.tsx";

interface DayFieldProps extends Omit<ComponentProps<typeof Field>, "type" | "min" | "max"> {
  /** yyyy-mm-dd, or "". */
  value: string;
}

/** A day up to today. The browser writes it in a language of its own: the label has it in ours. */
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
