import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { DayField } from "../../components/Field.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { dayOf } from "../../lib/dates.ts";
import styles from "./FilterDrawer.module.css";
import { emptyFilter, type Filter } from "./ledgerFilter.ts";
import rows from "./Rows.module.css";

interface FilterDrawerProps {
  open: boolean;
  onClose: () => void;
  filter: Filter;
  onConfirm: (filter: Filter) => void;
  /** Names of the types to choose from. */
  types: string[];
  /** What the types are of. */
  typesLabel: string;
}

/** Dates and types. Nothing changes until it is confirmed. */
export function FilterDrawer({ open, onClose, ...rest }: FilterDrawerProps) {
  const t = useTranslations("history");
  return (
    <Sheet side="right" open={open} onClose={onClose} title={t("filter")}>
      <Draft {...rest} onClose={onClose} />
    </Sheet>
  );
}

function Draft({ filter, onConfirm, onClose, types, typesLabel }: Omit<FilterDrawerProps, "open">) {
  const t = useTranslations("history");
  const common = useTranslations("common");
  const [draft, setDraft] = useState(filter);
  const today = dayOf();
  const date = (name: "begin" | "end") => ({
    value: draft[name] || today,
    onChange: (event: { target: { value: string } }) =>
      setDraft({ ...draft, [name]: event.target.value }),
  });
  const confirm = () => {
    onConfirm(draft);
    onClose();
  };
  return (
    <div className={styles.drawer}>
      <DayField label={t("begin")} {...date("begin")} />
      <DayField label={t("end")} {...date("end")} />
      <fieldset className={styles.types}>
        <legend>{typesLabel}</legend>
        {types.map((name, index) => (
          <button
            key={name}
            type="button"
            aria-pressed={draft.type === index}
            onClick={() => setDraft({ ...draft, type: index })}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <div className={styles.buttons}>
        <Button onClick={() => setDraft(emptyFilter())}>{t("reset")}</Button>
        <Button variant="gold" onClick={confirm}>
          {common("confirm")}
        </Button>
      </div>
    </div>
  );
}

/** The days that the rows below are of. */
export function RangeHead({ begin_date, end_date }: { begin_date: string; end_date: string }) {
  const t = useTranslations("history");
  return (
    <p className={rows.range}>
      {begin_date === end_date ? begin_date : t("range", { begin: begin_date, end: end_date })}
    </p>
  );
}
