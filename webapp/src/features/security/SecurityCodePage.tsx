import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { reasonOf } from "../../api/client.ts";
import { useSafety } from "../../api/payoutAndSecurity.ts";
import type { SafetyInfo } from "../../api/types.ts";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { CodePad } from "../../components/Keypad.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import ServiceSheet from "../../components/ServiceSheet.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { formatDateTime } from "../../lib/formatDateTime.ts";
import { isGuest, isSignedIn, useSession } from "../../lib/session.ts";
import { useBack } from "../../lib/useBack.ts";
import {
  Advice,
  type RefusedAt,
  useFieldRefusal,
  useSecretForm,
  useSetCode,
} from "./SecretForm.tsx";
import styles from "./Security.module.css";
import {
  type CodeForm,
  codeDigits,
  codeProblems,
  type Mode,
  modeOf,
  TRIES,
} from "./validateSecrets.ts";

/**
 * A public route: tells a caller without an account, or a visitor, that a code needs a full
 * account.
 */
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
  // The mode by the server's answer, if the address is wrong.
  const [corrected, setCorrected] = useState<Mode | null>(null);
  const mode = corrected ?? modeOf(query.get("isTrue"), safety.data?.isTrue);
  const refused = (reason: string) => {
    if (reason === "security_code_missing") setCorrected("first");
    safety.refetch();
  };
  if (safety.data?.locked && mode === "change") return <Locked />;
  if (mode === "first")
    return <FirstCode onSet={done} onAlreadySet={() => setCorrected("change")} />;
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
    toast(waits ? t("setUntil", { time: formatDateTime(usable_at, locale) }) : t("set"), "good");
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

interface ChangeCodeProps {
  onSet: (safety: SafetyInfo) => void;
  /** A refusal's name decides which form is shown. */
  onRefused: (reason: string) => void;
}

/**
 * The old code and a new one. A wrong old code is one of ten tries, of which the form counts its
 * own.
 */
function ChangeCode(props: ChangeCodeProps) {
  const t = useTranslations("security.code");
  const common = useTranslations("common");
  const { form, busy, field } = useSecretForm({ old: "", fresh: "" }, codeProblems, useSend(props));
  const code = (name: keyof CodeForm) => {
    const { onChange, ...rest } = field(name);
    return {
      ...rest,
      placeholder: t("six"),
      type: "password",
      inputMode: "numeric" as const,
      autoComplete: "off",
      maxLength: 6,
      onChange: (event: Parameters<typeof onChange>[0]) => {
        event.target.value = codeDigits(event.target.value);
        onChange(event);
      },
    };
  };
  return (
    <>
      <form {...form} className={styles.form}>
        <Field {...code("old")} label={t("old")} />
        <Field {...code("fresh")} label={t("new")} />
        <Button type="submit" variant="gold" full busy={busy}>
          {common("confirm")}
        </Button>
      </form>
      <Advice sentences={[t("advice"), t("cooling")]} />
    </>
  );
}

function useSend({ onSet, onRefused }: ChangeCodeProps) {
  const t = useTranslations("security.code");
  const standing = useFieldRefusal();
  const setCode = useSetCode();
  const [wrong, setWrong] = useState(0);
  return async ({ old, fresh }: CodeForm): Promise<RefusedAt<keyof CodeForm> | null> => {
    try {
      onSet(await setCode(fresh, old));
      return null;
    } catch (error) {
      onRefused(reasonOf(error));
      if (reasonOf(error) !== "security_code_wrong") return standing(error);
      setWrong(wrong + 1);
      return { field: "old", text: t("wrong", { left: Math.max(0, TRIES - wrong - 1) }) };
    }
  };
}

interface FirstCodeProps {
  onSet: (safety: SafetyInfo) => void;
  /** There is a code already, so that this one would be a change. */
  onAlreadySet: () => void;
}

/** A keypad that sets a first code with its sixth digit. */
function FirstCode({ onSet, onAlreadySet }: FirstCodeProps) {
  const t = useTranslations("security.code");
  const failure = useErrorText();
  const setCode = useSetCode();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const refused = (error: unknown) => {
    setBusy(false);
    setProblem(failure(error));
    if (reasonOf(error) !== "security_code_already_set") return;
    toast(failure(error), "bad");
    onAlreadySet();
  };
  const submit = (code: string) => {
    setBusy(true);
    setCode(code, "").then(onSet, refused);
  };
  return (
    <>
      <div>
        <CodePad title={t("choose")} error={problem} busy={busy} onCode={submit} />
      </div>
      <Advice sentences={[t("what"), t("advice"), t("cooling")]} />
    </>
  );
}
