import { type FormEvent, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { useConfig } from "../../api/queries.ts";
import { AgeMark } from "../../components/AgeMark.tsx";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { Page } from "../../components/Page.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import { useFailureToast } from "../../i18n/failure.ts";
import { newKey } from "../../lib/key.ts";
import styles from "./Entry.module.css";
import { type RegisterForm, registerProblems } from "./rules.ts";
import { useEnter } from "./useEnter.ts";
import { VisitorSheet } from "./VisitorSheet.tsx";

const DEFAULT_AGE = 18;

export default function RegisterPage() {
  const t = useTranslations("entry");
  const navigate = useNavigate();
  const [visitor, setVisitor] = useState(false);
  return (
    <Page top={<TopBar title={t("registerTitle")} />} className={styles.entry}>
      <Form />
      <div className={styles.others}>
        <Button variant="ghost" full onClick={() => setVisitor(true)}>
          {t("guest")}
        </Button>
        <Button variant="ghost" full onClick={() => navigate("/login")}>
          {t("hasAccount")}
        </Button>
      </div>
      <VisitorSheet open={visitor} onClose={() => setVisitor(false)} />
    </Page>
  );
}

/** Sends a form with one key for as long as its words stay the same. */
function useRegister() {
  const enter = useEnter();
  const fail = useFailureToast();
  const [busy, setBusy] = useState(false);
  const sent = useRef({ form: "", key: "" });
  const send = async (form: RegisterForm) => {
    const text = JSON.stringify(form);
    if (sent.current.form !== text) sent.current = { form: text, key: newKey() };
    setBusy(true);
    try {
      const { username, password, invite } = form;
      const body = { username, password, group_id: 1 as const, inviter_id: invite };
      const { data } = await call("user/register", body, { key: sent.current.key });
      enter(data.userinfo, "registerDone");
    } catch (error) {
      fail(error);
      setBusy(false);
    }
  };
  return { busy, send };
}

/** Step 0 of registering; the only one there is. */
function Form() {
  const t = useTranslations("entry");
  const [query] = useSearchParams();
  const age = useConfig()?.operator.minimum_age ?? DEFAULT_AGE;
  const { busy, send } = useRegister();
  const [tried, setTried] = useState(false);
  const [form, setForm] = useState<RegisterForm>({
    username: "",
    password: "",
    confirm: "",
    invite: query.get("inviter_id") ?? "",
  });
  const problems = tried ? registerProblems(form) : {};
  const field = (name: keyof RegisterForm) => ({
    name,
    value: form[name],
    onChange: (event: { target: { value: string } }) =>
      setForm({ ...form, [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(registerProblems(form)).length === 0) send(form);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <Field
        {...field("username")}
        label={t("username")}
        placeholder={t("usernamePlaceholder")}
        error={problems.username && t(problems.username)}
        autoComplete="username"
        autoCapitalize="none"
      />
      <Field
        {...field("password")}
        label={t("password")}
        placeholder={t("passwordPlaceholder")}
        error={problems.password && t(problems.password)}
        type="password"
        autoComplete="new-password"
      />
      <Field
        {...field("confirm")}
        label={t("confirmPassword")}
        placeholder={t("confirmPlaceholder")}
        error={problems.confirm && t(problems.confirm)}
        type="password"
        autoComplete="new-password"
      />
      <Field {...field("invite")} label={t("invite")} placeholder={t("invitePlaceholder")} />
      <p className={styles.statement}>
        <AgeMark />
        <span>{t("statement", { age })}</span>
      </p>
      <Button type="submit" variant="gold" full busy={busy}>
        {t("register")}
      </Button>
    </form>
  );
}
