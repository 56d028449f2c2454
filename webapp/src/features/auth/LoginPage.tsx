import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { call, endSession } from "../../api/client.ts";
import { useConfig } from "../../api/commonQueries.ts";
import { AgeBadge } from "../../components/AgeBadge.tsx";
import { Button, IconButton } from "../../components/Button.tsx";
import { Check, Field, useFocusFirstError } from "../../components/Field.tsx";
import { Page } from "../../components/Page.tsx";
import ServiceSheet from "../../components/ServiceSheet.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import { signOut } from "../../lib/session.ts";
import styles from "./Auth.module.css";
import {
  forgetUsername,
  rememberUsername,
  useCompleteLogin,
  usernameIn,
} from "./useCompleteLogin.ts";
import { VisitorSheet } from "./VisitorSheet.tsx";

const VERSION = "21.04.02";

export default function LoginPage() {
  const t = useTranslations("entry");
  const common = useTranslations("common");
  const service = useTranslations("account");
  const navigate = useNavigate();
  const [popup, setPopup] = useState<"forgot" | "service" | "visitor" | null>(null);
  const version = useConfig()?.version ?? VERSION;
  const close = () => {
    endSession();
    signOut();
    navigate("/", { replace: true });
  };
  return (
    <Page top={<CloseBar onClose={close} />} className={styles.entry}>
      <AuthHeader title={t("loginTitle")} />
      <LoginForm onForgot={() => setPopup("forgot")} />
      <div className={styles.others}>
        <Button full onClick={() => navigate("/register")}>
          {t("register")}
        </Button>
        <Button variant="ghost" full onClick={() => setPopup("visitor")}>
          {t("guest")}
        </Button>
      </div>
      <p className={styles.statement}>
        <AgeBadge />
        <span>{common("chance")}</span>
      </p>
      <p className={styles.version}>{t("version", { version })}</p>
      <Sheet
        side="center"
        open={popup === "forgot"}
        onClose={() => setPopup(null)}
        title={t("forgotTitle")}
        actions={
          <Button full onClick={() => setPopup("service")}>
            {service("service")}
          </Button>
        }
      >
        <p className={styles.text}>{t("forgotText")}</p>
      </Sheet>
      <ServiceSheet open={popup === "service"} onClose={() => setPopup(null)} />
      <VisitorSheet open={popup === "visitor"} onClose={() => setPopup(null)} />
    </Page>
  );
}

function CloseBar({ onClose }: { onClose: () => void }) {
  const common = useTranslations("common");
  return (
    <header className={styles.closeBar}>
      <IconButton icon="close" label={common("close")} onClick={onClose} />
    </header>
  );
}

function LoginForm({ onForgot }: { onForgot: () => void }) {
  const t = useTranslations("entry");
  const enter = useCompleteLogin();
  const [ref, showProblem] = useFocusFirstError();
  const fail = useErrorToast();
  const [username, setUsername] = useState(() => usernameIn(document.cookie));
  const [password, setPassword] = useState("");
  const [remember, setRemember] = useState(true);
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (username === "" || password === "") return showProblem();
    setBusy(true);
    try {
      const { data } = await call("user/login", { account: username, password });
      if (remember) rememberUsername(username);
      else forgetUsername();
      enter(data.userinfo, "loginDone");
    } catch (error) {
      fail(error);
      setBusy(false);
    }
  };
  return (
    <form ref={ref} className={styles.form} onSubmit={submit} noValidate>
      <Field
        label={t("username")}
        placeholder={t("loginUsernamePlaceholder")}
        error={tried && username === "" ? t("loginUsernamePlaceholder") : undefined}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        value={username}
        onChange={(event) => setUsername(event.target.value.trim())}
      />
      <Field
        label={t("password")}
        placeholder={t("loginPasswordPlaceholder")}
        error={tried && password === "" ? t("needPassword") : undefined}
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <div className={styles.between}>
        <Check
          label={t("remember")}
          checked={remember}
          onChange={(event) => setRemember(event.target.checked)}
        />
        <button type="button" className={styles.link} onClick={onForgot}>
          {t("forgot")}
        </button>
      </div>
      <Button type="submit" variant="gold" full busy={busy}>
        {t("login")}
      </Button>
    </form>
  );
}

function AuthHeader({ title }: { title: string }) {
  return (
    <div className={styles.head}>
      <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="64" height="64" />
      <h1>{title}</h1>
    </div>
  );
}
