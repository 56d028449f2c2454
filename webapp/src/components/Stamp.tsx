import styles from "./Stamp.module.css";

export type StampKind = "won" | "lost" | "pending" | "recalled" | "voided";

export function Stamp({ kind, text }: { kind: StampKind; text: string }) {
  return (
    <span className={styles.stamp} data-kind={kind}>
      {text}
    </span>
  );
}
