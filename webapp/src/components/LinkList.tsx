import type { ReactNode } from "react";
import { Link } from "react-router";
import { Badge } from "./Badge.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import styles from "./LinkList.module.css";

export interface LinkItem {
  icon: IconName;
  label: string;
  /** A link or an action; without either the row only shows its note. */
  to?: string;
  onPress?: () => void;
  /** The current value, once it is known. */
  note?: string | undefined;
  /** A count of unread items, and its label. */
  badge?: { count: number; label: string };
}

/** Rows that each link to a page or run an action. */
export function LinkList({ items }: { items: LinkItem[] }) {
  return (
    <ul className={styles.list}>
      {items.map((item) => (
        <li key={item.label}>
          <Row item={item} />
        </li>
      ))}
    </ul>
  );
}

function Row({ item }: { item: LinkItem }): ReactNode {
  const inside = (
    <>
      <Icon name={item.icon} size={22} />
      <span>{item.label}</span>
      {item.badge && <Badge {...item.badge} />} {item.note && <small>{item.note}</small>}
    </>
  );
  if (item.onPress) {
    return (
      <button type="button" className={styles.row} onClick={item.onPress}>
        {inside}
      </button>
    );
  }
  if (item.to === undefined) return <div className={styles.row}>{inside}</div>;
  return (
    <Link to={item.to} className={styles.row}>
      {inside}
      <Icon name="next" size={16} />
    </Link>
  );
}
