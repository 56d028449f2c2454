import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { availableHashing } from "./crypto/hashing.ts";
import styles from "./LogCheck.module.css";
import { LogConflict } from "./LogConflict.tsx";
import { type Comparison, comparePhones, pastedNote } from "./log/checkLog.ts";
import { houseLog } from "./log/houseLog.ts";
import stepStyles from "./StepItem.module.css";

interface ComparePhonesProps {
  /** The checkpoint of this phone. */
  note: string;
  operatorKey: string;
}

interface Result {
  result: Comparison | "unanswered";
  /** The checkpoint of the other phone. */
  note: string;
}

/** A house that shows two phones different logs is found out when they compare checkpoints. */
export function ComparePhones({ note, operatorKey }: ComparePhonesProps) {
  const t = useTranslations("fairness.log");
  const id = useId();
  const [pasted, setPasted] = useState("");
  const [busy, setBusy] = useState(false);
  const [found, setFound] = useState<Result | null>(null);
  const compare = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const other = pastedNote(pasted);
    setFound({ result: await compared(note, operatorKey, other), note: other });
    setBusy(false);
  };
  return (
    <details className={stepStyles.values}>
      <summary>{t("compare.title")}</summary>
      <form className={styles.compare} onSubmit={compare}>
        <label htmlFor={id}>{t("compare.hint")}</label>
        <textarea
          id={id}
          rows={4}
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
          spellCheck={false}
        />
        <Button type="submit" busy={busy} disabled={pasted.trim() === ""}>
          {t("compare.action")}
        </Button>
      </form>
      <p role="status">{found && found.result !== "fork" && t(`compare.${found.result}`)}</p>
      {found?.result === "fork" && (
        <LogConflict
          seen={[
            { title: t("other"), note: found.note },
            { title: t("shown"), note },
          ]}
          operatorKey={operatorKey}
        />
      )}
    </details>
  );
}

async function compared(
  note: string,
  operatorKey: string,
  other: string,
): Promise<Result["result"]> {
  try {
    const source = houseLog(new AbortController().signal);
    return await comparePhones(await availableHashing(), source, operatorKey, note, other);
  } catch {
    return "unanswered";
  }
}
