import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { saveFile } from "../../lib/saveFile.ts";
import styles from "./LogCheck.module.css";
import { readCheckpoint } from "./log/checkpoint.ts";

/** A checkpoint with its heading. */
interface Seen {
  title: string;
  note: string;
}

interface LogConflictProps {
  seen: readonly Seen[];
  operatorKey: string;
  children?: ReactNode;
}

/**
 * Checkpoints that are not of one log. The house signed each: it cannot deny that it did. Two of
 * one size prove a fork by themselves; those of two sizes need the log to be compared with. Those of
 * two keys, the earlier one first, prove no fork: each key has a log of its own name.
 */
export function LogConflict({ seen, operatorKey, children }: LogConflictProps) {
  const t = useTranslations("fairness.log");
  const save = () =>
    saveFile("fairdraw-fork.json", forkText(seen, operatorKey), "application/json");
  return (
    <div className={styles.alarm} role="alert" data-testid="log-alarm">
      <p>{t(alarmOf(seen))}</p>
      {seen.map(({ title, note }) => (
        <figure key={title}>
          <figcaption>{title}</figcaption>
          <pre>{note}</pre>
        </figure>
      ))}
      <Button onClick={save}>{t("save")}</Button>
      {children}
    </div>
  );
}

function alarmOf(seen: readonly Seen[]): "alarm" | "alarmSizes" | "alarmKey" {
  const checkpoints = seen.map(({ note }) => readCheckpoint(note));
  if (new Set(checkpoints.map(({ origin }) => origin)).size > 1) return "alarmKey";
  return new Set(checkpoints.map(({ size }) => size)).size > 1 ? "alarmSizes" : "alarm";
}

function forkText(seen: readonly Seen[], operatorKey: string): string {
  const fork = {
    format: "fairdraw/fork/v1",
    operator_key: operatorKey,
    checkpoints: seen.map(({ note }) => note),
  };
  return `${JSON.stringify(fork, null, 2)}\n`;
}
