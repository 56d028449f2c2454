import { Link } from "react-router";
import { Badge } from "./Badge.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import styles from "./LinkList.module.css";

export interface LinkItem {
  icon: IconName;
  label: string;
  to: string;
  note?: string;
  /** A count that wants a look, and its words. */
  badge?: { count: number; label: string };
}

/** Rows that each lead to a page. */
export function LinkList({ items }: { items: LinkItem[] }) {
  return (
    <ul className={styles.list}>
      {items.map((item) => (
        <li key={item.to + item.label}>
          <Link to={item.to}>
            <Icon name={item.icon} size={22} />
            <span>{item.label}</span>
            {item.badge && <Badge {...item.badge} />}
            {item.note && <small>{item.note}</small>}
            <Icon name="next" size={16} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
