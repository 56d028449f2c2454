import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { CallError, call } from "../api/client.ts";
import { type Question, useStepUp } from "../api/withStepUp.ts";
import { useSession } from "../lib/session.ts";
import { Button } from "./Button.tsx";
import { Field } from "./Field.tsx";
import { Sheet } from "./Sheet.tsx";
import styles from "./StepUp.module.css";
import { useErrorText } from "./useErrorText.ts";

/**
 * Asks for the password when an idle session is to move money; mounted once. Its
 * texts are page texts, which are loaded by then.
 */
export default function StepUp() {
  const question = useStepUp((state) => state.question);
  return question && <Dialog question={question} />;
}

function Dialog({ question }: { question: Question }) {
  const t = useTranslations("security.stepUp");
  return (
    <Sheet side="center" open onClose={question.closed} title={t("title")}>
      <Ask question={question} />
    </Sheet>
  );
}

function Ask({ question }: { question: Question }) {
  const t = useTranslations("security.stepUp");
  const failure = useErrorText();
  const username = useSession((session) => session.username);
  const field = useRef<HTMLInputElement>(null);
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  // The dialog opens after this and focuses this field rather than its close button.
  useEffect(() => field.current?.setAttribute("autofocus", ""), []);
  const words = (error: unknown) =>
    error instanceof CallError && error.reason === "credentials_wrong"
      ? t("wrong")
      : failure(error);
  const complain = (text: string) => {
    setProblem(text);
    setBusy(false);
    field.current?.focus();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password === "") return complain(t("need"));
    setBusy(true);
    call("user/stepUp", { password }).then(question.confirmed, (error) => complain(words(error)));
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <p className={styles.text}>{t("text")}</p>
      {/* For password managers, which keep a password under a name. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <Field
        ref={field}
        label={t("password")}
        error={problem}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" variant="gold" full busy={busy}>
        {t("go")}
      </Button>
    </form>
  );
}
