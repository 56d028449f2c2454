import { type ReactNode, useState } from "react";
import { NavLink, Outlet } from "react-router";
import { useTranslations } from "use-intl";
import { Badge, useServiceBadge, useUnreadBadge } from "../components/Badge.tsx";
import { Icon, type IconName } from "../components/Icon.tsx";
import { WhenIdle } from "../components/WhenIdle.tsx";
import { loadPageTexts } from "../i18n/texts.ts";
import { lazyWithRetry } from "../lib/lazyWithRetry.ts";
import styles from "./MainTabs.module.css";

/** With its texts, which are among the page texts. */
const ServiceSheet = lazyWithRetry(async () => {
  const [sheet] = await Promise.all([import("../components/ServiceSheet.tsx"), loadPageTexts()]);
  return sheet;
});

/** Home and me, above the bottom tabs. Customer service opens over the page, without a route. */
export function MainTabs() {
  const t = useTranslations("home");
  const answers = useServiceBadge();
  const badge = useUnreadBadge();
  const [service, setService] = useState(false);
  return (
    <div className={styles.layout}>
      <Outlet />
      <TabBar
        items={[
          { icon: "home", label: t("tabHome"), to: "/" },
          { icon: "wallet", label: t("tabRecharge"), to: "/recharge" },
          {
            icon: "service",
            label: t("tabService"),
            onPress: () => setService(true),
            badge: answers,
          },
          { icon: "person", label: t("tabMe"), to: "/personal", badge },
        ]}
      />
      <WhenIdle now={service}>
        <ServiceSheet open={service} onClose={() => setService(false)} />
      </WhenIdle>
    </div>
  );
}

/** An entry links to a route or runs an action. */
export type TabBarItem = {
  icon: IconName;
  label: string;
  /** A count of unread items, and its label. */
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

function TabBar({ items }: { items: TabBarItem[] }) {
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
