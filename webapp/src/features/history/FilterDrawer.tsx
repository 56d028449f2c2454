import { useState } from "react";
import { useTranslations } from "use-intl";
import type { LedgerType, Order } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { DayField } from "../../components/Field.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { dayOf, nearestDay } from "../../lib/dates.ts";
import styles from "./FilterDrawer.module.css";
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

/** What a filter drawer holds; empty dates mean today. */
export interface Filter {
  begin: string;
  end: string;
  /** Index in the list's types, of which the first is all. */
  type: number;
}

export const emptyFilter = (): Filter => ({ begin: "", end: "", type: 0 });

/** The wire's dates. A reversed range is swapped. */
export function datesOf(filter: Filter): { begin_date: string; end_date: string } {
  const [begin, end] = [nearestDay(filter.begin), nearestDay(filter.end)].sort();
  return { begin_date: begin ?? "", end_date: end ?? "" };
}

/** The results of bets to choose from, in the order that the drawer has them. */
export const RESULTS = ["lost", "won", "pending", "voided", "recalled"] as const;

const RESULT_FILTERS = [
  {},
  { status: 1, whether_hit: 0 },
  { status: 1, whether_hit: 1 },
  { status: 0 },
  { status: 3 },
  { status: 2 },
] as const;

type ResultFilter = { status?: Order["status"]; whether_hit?: Order["whether_hit"] };

/** The query of the chosen result; empty for "all". */
export const resultOf = (filter: Filter): ResultFilter => RESULT_FILTERS[filter.type] ?? {};

/** The ledger's type is the choice's index less one; "all" sends none. */
export function typeOf(filter: Filter): { type?: LedgerType } {
  const type = filter.type - 1;
  return type === 0 || type === 1 || type === 2 || type === 3 || type === 4 ? { type } : {};
}
