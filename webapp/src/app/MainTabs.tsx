import { useState } from "react";
import { Outlet } from "react-router";
import { useTranslations } from "use-intl";
import { TabBar } from "../components/TabBar.tsx";
import { WhenIdle } from "../components/WhenIdle.tsx";
import { loadLaterTexts } from "../i18n/texts.ts";
import { useServiceBadge, useUnreadBadge } from "../i18n/unread.ts";
import { later } from "../lib/later.ts";
import styles from "./MainTabs.module.css";

/** With its words, which come later than what the pages above the tabs say first. */
const ServiceSheet = later(async () => {
  const [sheet] = await Promise.all([import("../components/ServiceSheet.tsx"), loadLaterTexts()]);
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
