import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useSafety } from "../../api/standing.ts";
import type { SafetyInfo } from "../../api/types.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Page } from "../../components/Page.tsx";
import ServiceSheet from "../../components/ServiceSheet.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import { toast } from "../../components/toast.ts";
import { useBack } from "../../lib/back.ts";
import { formatMoment } from "../../lib/moment.ts";
import { isGuest, isSignedIn, useSession } from "../../lib/session.ts";
import { ChangeCode } from "./ChangeCode.tsx";
import { FirstCode } from "./FirstCode.tsx";
import { type Mode, modeOf } from "./rules.ts";
import styles from "./Security.module.css";

/** A public route: whoever has no account, or none yet that may hold a code, is told so. */
export default function SecurityCodePage() {
  const t = useTranslations("security.code");
  const entry = useTranslations("entry");
  const navigate = useNavigate();
  useSession((session) => session.token);
  const guest = useSession(isGuest);
  const locked = (text: string, to: string, action: string) => (
    <EmptyState icon="lock" text={text} action={action} onAction={() => navigate(to)} />
  );
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      {!isSignedIn() && locked(t("signIn"), "/login", entry("login"))}
      {isSignedIn() && guest && locked(t("register"), "/register", entry("register"))}
      {isSignedIn() && !guest && <Code />}
    </Page>
  );
}

function Code() {
  const common = useTranslations("common");
  const [query] = useSearchParams();
  const safety = useSafety();
  const done = useDone();
  // What the house said against the address.
  const [told, setTold] = useState<Mode | null>(null);
  const mode = told ?? modeOf(query.get("isTrue"), safety.data?.isTrue);
  const refused = (reason: string) => {
    if (reason === "security_code_missing") setTold("first");
    safety.refetch();
  };
  if (safety.data?.locked && mode === "change") return <Locked />;
  if (mode === "first") return <FirstCode onSet={done} onAlreadySet={() => setTold("change")} />;
  if (mode === "change") return <ChangeCode onSet={done} onRefused={refused} />;
  if (!safety.isError) return <Skeleton />;
  return (
    <EmptyState
      icon="alert"
      text={common("loadFailed")}
      action={common("reload")}
      onAction={safety.refetch}
    />
  );
}

/** Says that the code is set, and from when it confirms withdrawals; then the page goes back. */
function useDone(): (safety: SafetyInfo) => void {
  const t = useTranslations("security.code");
  const back = useBack();
  const locale = useLocale();
  return ({ usable_at }) => {
    const waits = usable_at * 1000 > Date.now();
    toast(waits ? t("setUntil", { time: formatMoment(usable_at, locale) }) : t("set"), "good");
    back();
  };
}

function Locked() {
  const t = useTranslations("security.code");
  const [service, setService] = useState(false);
  return (
    <>
      <EmptyState
        icon="lock"
        text={t("locked")}
        action={t("service")}
        onAction={() => setService(true)}
      />
      <ServiceSheet open={service} onClose={() => setService(false)} />
    </>
  );
}
