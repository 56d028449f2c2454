import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import { AgeMark } from "../../components/AgeMark.tsx";
import { Button } from "../../components/Button.tsx";
import { Field } from "../../components/Field.tsx";
import { useFirstProblem } from "../../lib/firstProblem.ts";
import styles from "./Entry.module.css";
import { type RegisterForm, registerProblems } from "./rules.ts";
import { useRegister } from "./useRegister.ts";

const DEFAULT_AGE = 18;

/** Step 0 of registering; the only one there is. */
export function RegisterFields() {
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
        <AgeMark />
        <span>{t("statement", { age })}</span>
      </p>
      <Button type="submit" variant="gold" full busy={busy}>
        {t("register")}
      </Button>
    </form>
  );
}

/** The four fields, each with what stands against it: our own rules, then the house's refusal. */
function useForm() {
  const t = useTranslations("entry");
  const [query] = useSearchParams();
  const [ref, showProblem] = useFirstProblem();
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
