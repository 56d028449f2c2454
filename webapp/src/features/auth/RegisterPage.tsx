import { type FormEvent, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { call, reasonOf } from "../../api/client.ts";
import { useConfig } from "../../api/commonQueries.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import { AgeBadge } from "../../components/AgeBadge.tsx";
import { Button } from "../../components/Button.tsx";
import { Field, useFocusFirstError } from "../../components/Field.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import styles from "./Auth.module.css";
import { useCompleteLogin } from "./useCompleteLogin.ts";
import { VisitorSheet } from "./VisitorSheet.tsx";
import { type RegisterForm, refusedField, registerProblems } from "./validateRegistration.ts";

export default function RegisterPage() {
  const t = useTranslations("entry");
  const navigate = useNavigate();
  const guest = useSession(isGuest);
  const name = useSession((session) => session.username);
  const [visitor, setVisitor] = useState(false);
  return (
    <Page
      top={<TopBar title={t(guest ? "joinTitle" : "registerTitle")} />}
      className={styles.entry}
    >
      {guest && <p className={styles.text}>{t("joinText", { name })}</p>}
      <RegisterFields />
      <div className={styles.others}>
        {!guest && (
          <Button variant="ghost" full onClick={() => setVisitor(true)}>
            {t("guest")}
          </Button>
        )}
        <Button variant="ghost" full onClick={() => navigate("/login")}>
          {t("hasAccount")}
        </Button>
      </div>
      <VisitorSheet open={visitor} onClose={() => setVisitor(false)} />
    </Page>
  );
}

const DEFAULT_AGE = 18;

/** Step 0 of registering; the only one there is. */
function RegisterFields() {
  const t = useTranslations("entry");
  const age = useConfig()?.operator.minimum_age ?? DEFAULT_AGE;
  const { ref, field, submit, busy } = useForm();
  return (
    <form ref={ref} className={styles.form} onSubmit={submit} noValidate>
      <Field
        {...field("username")}
        label={t("username")}
        placeholder={t("usernamePlaceholder")}
        autoComplete="username"
        autoCapitalize="none"
      />
      <Field
        {...field("password")}
        label={t("password")}
        placeholder={t("passwordPlaceholder")}
        type="password"
        autoComplete="new-password"
      />
      <Field
        {...field("confirm")}
        label={t("confirmPassword")}
        placeholder={t("confirmPlaceholder")}
        type="password"
        autoComplete="new-password"
      />
      <Field {...field("invite")} label={t("invite")} placeholder={t("invitePlaceholder")} />
      <p className={styles.statement}>
        <AgeBadge />
        <span>{t("statement", { age })}</span>
      </p>
      <Button type="submit" variant="gold" full busy={busy}>
        {t("register")}
      </Button>
    </form>
  );
}

/** The four fields, each with its error: of our own rules, then of the server's refusal. */
function useForm() {
  const t = useTranslations("entry");
  const [query] = useSearchParams();
  const [ref, showProblem] = useFocusFirstError();
  const { busy, refused, send } = useRegister(showProblem);
  const [tried, setTried] = useState(false);
  const [form, setForm] = useState<RegisterForm>({
    username: "",
    password: "",
    confirm: "",
    invite: query.get("inviter_id") ?? "",
  });
  const problemOf = (name: keyof RegisterForm): string | undefined => {
    const own = tried && name !== "invite" ? registerProblems(form)[name] : undefined;
    if (own) return t(own);
    return refused?.field === name && refused.value === form[name] ? refused.text : undefined;
  };
  const field = (name: keyof RegisterForm) => ({
    name,
    value: form[name],
    error: problemOf(name),
    onChange: (event: { target: { value: string } }) =>
      setForm({ ...form, [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(registerProblems(form)).length === 0) send(form);
    else showProblem();
  };
  return { ref, field, submit, busy };
}

/** The refused field and the server's message. */
export interface RefusedValue {
  field: keyof RegisterForm;
  value: string;
  text: string;
}

/**
 * Sends a form with one key until the server has decided. A visitor's account becomes
 * the player's, with everything in it.
 */
function useRegister(onRefused: () => void) {
  const enter = useCompleteLogin();
  const visitor = useSession(isGuest);
  const failure = useErrorText();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<RefusedValue>();
  const key = useFormKey();
  const send = async (form: RegisterForm) => {
    setBusy(true);
    try {
      const { username, password, invite } = form;
      const body = { username, password, inviter_id: invite.trim() };
      const options = { key: key.of({ ...body, visitor }) };
      const { data } = visitor
        ? await call("user/join", body, options)
        : await call("user/register", { ...body, group_id: 1 }, options);
      enter(data.userinfo, "registerDone");
    } catch (error) {
      key.failed(error);
      const field = refusedField(reasonOf(error));
      toast(failure(error), "bad");
      setRefused(field && { field, value: form[field], text: failure(error) });
      setBusy(false);
      onRefused();
    }
  };
  return { busy, refused, send };
}
