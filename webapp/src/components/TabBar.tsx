import type { ReactNode } from "react";
import { NavLink } from "react-router";
import { useTranslations } from "use-intl";
import { Badge } from "./Badge.tsx";
import { Icon, type IconName } from "./Icon.tsx";
import styles from "./TabBar.module.css";

/** An entry leads to a route, or does something without one. */
export type TabBarItem = {
  icon: IconName;
  label: string;
  /** A count that wants a look, and its words. */
  badge?: { count: number; label: string };
} & ({ to: string } | { onPress: () => void });

function inside(item: TabBarItem): ReactNode {
  return (
    <>
      <Icon name={item.icon} />
      <span>{item.label}</span>
      {item.badge && (
        <span className={styles.badge}>
          <Badge {...item.badge} />
        </span>
      )}
    </>
  );
}

export function TabBar({ items }: { items: TabBarItem[] }) {
  const t = useTranslations("common");
  return (
    <nav className={styles.bar} aria-label={t("mainNav")}>
      {items.map((item) =>
        "to" in item ? (
          <NavLink key={item.label} to={item.to} end className={styles.item ?? ""}>
            {inside(item)}
          </NavLink>
        ) : (
          <button key={item.label} type="button" className={styles.item} onClick={item.onPress}>
            {inside(item)}
          </button>
        ),
      )}
    </nav>
  );
}
