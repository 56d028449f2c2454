import { useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { type LinkItem, LinkList } from "../../components/LinkList.tsx";
import { Page } from "../../components/Page.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import { changeSettings, useSettings } from "../../lib/settings.ts";
import styles from "./Settings.module.css";

const VERSION = "21.04.02";

/** type=1: the app's settings; type=2: what belongs to the account. */
export default function SettingPage() {
  const t = useTranslations("account");
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const ofAccount = query.get("type") === "2";
  const version = useConfig()?.version ?? VERSION;
  const general = useGeneral();
  const security = useSecurity();
  return (
    <Page
      top={<TopBar title={ofAccount ? t("security") : t("settings")} />}
      className={styles.settings}
    >
      <LinkList items={ofAccount ? security : general} />
      {!ofAccount && <Appearance />}
      <Button variant="danger" full onClick={() => navigate("/login")}>
        {t("exit")}
      </Button>
      <p className={styles.version}>{t("version", { version })}</p>
    </Page>
  );
}

function useGeneral(): LinkItem[] {
  const t = useTranslations("account");
  return [
    { icon: "refresh", label: t("changeLine"), to: "/changeline" },
    { icon: "info", label: t("about"), to: "/about" },
    { icon: "gear", label: t("system"), to: "/system" },
    { icon: "globe", label: t("language"), to: "/language" },
  ];
}

function useSecurity(): LinkItem[] {
  const t = useTranslations("account");
  const breaks = useTranslations("breaks");
  return [
    { icon: "card", label: t("bankCard"), to: "/bankCardManage?type=0" },
    { icon: "wallet", label: t("wallet"), to: "/bankCardManage?type=1" },
    { icon: "shield", label: t("securityCode"), to: "/setSecurityCode" },
    { icon: "lock", label: t("changePassword"), to: "/changePassword" },
    { icon: "hourglass", label: breaks("title"), to: "/setting?type=3" },
  ];
}

function Appearance() {
  const t = useTranslations("account");
  const { theme, redIsUp } = useSettings();
  return (
    <Card className={styles.appearance}>
      <h2>{t("theme")}</h2>
      <Tabs
        look="segment"
        label={t("theme")}
        value={theme}
        onChange={(chosen) => changeSettings({ theme: chosen })}
        tabs={[
          { id: "dark", label: t("themeDark") },
          { id: "light", label: t("themeLight") },
          { id: "system", label: t("themeSystem") },
        ]}
      />
      <h2>{t("direction")}</h2>
      <Tabs
        look="segment"
        label={t("direction")}
        value={redIsUp ? "red" : "green"}
        onChange={(chosen) => changeSettings({ redIsUp: chosen === "red" })}
        tabs={[
          { id: "green", label: t("greenUp") },
          { id: "red", label: t("redUp") },
        ]}
      />
    </Card>
  );
}
