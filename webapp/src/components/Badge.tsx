import styles from "./Badge.module.css";

const MOST_SHOWN = 99;

/** A count that wants a look; nothing where there is none. */
export function Badge({ count, label }: { count: number; label: string }) {
  if (count === 0) return null;
  return (
    <span className={styles.badge}>
      <span aria-hidden="true">{count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}</span>
      <span className="visually-hidden">{label}</span>
    </span>
  );
}
