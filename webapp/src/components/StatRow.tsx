import type { ReactNode } from "react";
import styles from "./StatRow.module.css";

/** Labelled figures side by side. */
export function StatRow({ figures }: { figures: [string, ReactNode][] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(([label, figure]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}
