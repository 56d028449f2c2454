import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { useConfig } from "../../api/commonQueries.ts";
import { usePayInfo, useSafety } from "../../api/payoutAndSecurity.ts";
import { Button } from "../../components/Button.tsx";
import { type LinkItem, LinkList } from "../../components/LinkList.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { toast } from "../../components/Toaster.tsx";
import { clearCache } from "../../lib/cache.ts";
import { changeSettings, useSettings } from "../../lib/settings.ts";
import { Devices } from "./Devices.tsx";
import styles from "./Settings.module.css";

const VERSION = "21.04.02";

/** type=1: the app's settings; type=2: what belongs to the account; type=4: where it is open. */
export default function SettingPage() {
  const [query] = useSearchParams();
  const type = query.get("type");
  if (type === "4") return <DevicesPage />;
  return type === "2" ? <AccountPage /> : <GeneralPage />;
}

function GeneralPage() {
  const t = useTranslations("account");
  return (
    <Page top={<TopBar title={t("settings")} />} className={styles.settings}>
      <LinkList items={useGeneral()} />
      <Appearance />
      <Exit />
    </Page>
  );
}

function AccountPage() {
  const t = useTranslations("account");
  return (
    <Page top={<TopBar title={t("security")} />} className={styles.settings}>
      <LinkList items={useSecurity()} />
      <Exit />
    </Page>
  );
}

function DevicesPage() {
  const t = useTranslations("security.devices");
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.settings}>
      <Devices />
    </Page>
  );
}

function Exit() {
  const t = useTranslations("account");
  const navigate = useNavigate();
  return (
    <Button variant="danger" full onClick={() => navigate("/login")}>
      {t("exit")}
    </Button>
  );
}

function useGeneral(): LinkItem[] {
  const t = useTranslations("account");
  const app = useTranslations("profile.app");
  const version = useConfig()?.version ?? VERSION;
  const queries = useQueryClient();
  const clear = () => clearCache(queries).then(() => toast(app("cacheCleared"), "good"));
  return [
    { icon: "swap", label: t("changeLine"), to: "/changeline" },
    { icon: "info", label: t("about"), to: "/about" },
    { icon: "gear", label: t("system"), to: "/system" },
    { icon: "globe", label: t("language"), to: "/language" },
    { icon: "trash", label: app("clearCache"), onPress: clear },
    { icon: "tag", label: app("version"), note: version },
  ];
}

function useSecurity(): LinkItem[] {
  const t = useTranslations("account");
  const breaks = useTranslations("breaks");
  const devices = useTranslations("security.devices");
  const held = useAccountSetup();
  return [
    { icon: "card", ...held.card, to: "/bankCardManage?type=0" },
    { icon: "wallet", ...held.wallet, to: "/bankCardManage?type=1" },
    { icon: "shield", ...held.code, to: "/setSecurityCode" },
    { icon: "lock", label: t("changePassword"), to: "/changePassword" },
    { icon: "hourglass", label: breaks("title"), to: "/setting?type=3" },
    { icon: "phone", label: devices("title"), to: "/setting?type=4" },
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

type Said = Pick<LinkItem, "label" | "note">;
export type Held = Record<"card" | "wallet" | "code", Said>;

/** Notes on what of the account is set up; no note while it is not known. */
function useAccountSetup(): Held {
  const t = useTranslations("account");
  const card = usePayInfo(0).data?.account;
  const wallet = usePayInfo(1).data?.account;
  const code = useSafety().data?.isTrue;
  return {
    card: {
      label: t(card?.is_set ? "bankCardBound" : "bankCard"),
      note: card && (card.is_set ? card.acc : t("notSet")),
    },
    wallet: {
      label: t(wallet?.is_set ? "walletBound" : "wallet"),
      note: wallet && (wallet.is_set ? wallet.acc : t("notSet")),
    },
    code: {
      label: t("securityCode"),
      note: code === undefined ? undefined : t(code ? "isSet" : "notSet"),
    },
  };
}
