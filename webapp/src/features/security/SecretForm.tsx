import { useQueryClient } from "@tanstack/react-query";
import { type ChangeEvent, type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { CallError, call } from "../../api/client.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import type { Calls, SafetyInfo } from "../../api/types.ts";
import { withStepUp } from "../../api/withStepUp.ts";
import { useFocusFirstError } from "../../components/Field.tsx";
import { Icon } from "../../components/Icon.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import type { AllTexts } from "../../i18n/texts.ts";
import styles from "./Security.module.css";
import { blamed } from "./validateSecrets.ts";

type Problem = keyof AllTexts["security"]["problems"];
type Problems<Name extends string> = Partial<Record<Name, Problem | undefined>>;

/** What the server refused, at the field that it is about. */
export interface RefusedAt<Name> {
  field: Name;
  text: string;
}

/**
 * A form of secrets: each error is shown at its field, the first one is focused, and a refused
 * secret is cleared. `send` resolves to such a refusal, or to null when everything was shown.
 */
export function useSecretForm<Name extends string>(
  empty: Record<Name, string>,
  problemsOf: (form: Record<Name, string>) => Problems<Name>,
  send: (form: Record<Name, string>) => Promise<RefusedAt<Name> | null>,
) {
  const t = useTranslations("security.problems");
  const [ref, showFirstProblem] = useFocusFirstError();
  const [form, setForm] = useState(empty);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<RefusedAt<Name> | null>(null);
  const change = (name: Name, typed: string) => setForm((before) => ({ ...before, [name]: typed }));
  const field = (name: Name) => {
    const problem: Problem | undefined = tried ? problemsOf(form)[name] : undefined;
    return {
      value: form[name],
      error: refused?.field === name ? refused.text : problem && t(problem),
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        setRefused(null);
        change(name, event.target.value);
      },
    };
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problemsOf(form)).length > 0) return showFirstProblem();
    setBusy(true);
    const answer = await send(form);
    setBusy(false);
    if (answer === null) return;
    change(answer.field, "");
    setRefused(answer);
    showFirstProblem();
  };
  return { form: { ref, onSubmit: submit, noValidate: true }, busy, field };
}

/** Shows a refusal at its field, or as a toast where it is not about a field. */
export function useFieldRefusal(): (error: unknown) => RefusedAt<"old" | "fresh"> | null {
  const text = useErrorText();
  return (error) => {
    const field = error instanceof CallError ? blamed(error.field) : null;
    if (field !== null) return { field, text: text(error) };
    toast(text(error), "bad");
    return null;
  };
}

/**
 * Sets a first code, when `old` is empty, or changes it. What the account may do is asked again.
 */
export function useSetCode(): (fresh: string, old: string) => Promise<SafetyInfo> {
  const send = useSecretCall("user/setSafety");
  const queries = useQueryClient();
  return async (fresh, old) => {
    const { data } = await send({ new_code: fresh, after_code: old });
    queries.invalidateQueries();
    return data;
  };
}

/** Changes the password, which ends every other session of the player. */
export function useSetPassword(): (fresh: string, old: string) => Promise<void> {
  const send = useSecretCall("user/newPass");
  const queries = useQueryClient();
  return async (fresh, old) => {
    await send({ new_pass: fresh, after_pass: old });
    queries.invalidateQueries({ queryKey: ["sessions"] });
  };
}

/** Sends a form under one key, after a password prompt where the server requires it. */
function useSecretCall<P extends "user/setSafety" | "user/newPass">(path: P) {
  const keys = useFormKey();
  return async (form: Calls[P]["body"]) => {
    try {
      const key = keys.of(form);
      const answer = await withStepUp(() => call(path, form, { key }));
      keys.decided();
      return answer;
    } catch (error) {
      keys.failed(error);
      throw error;
    }
  };
}

/** Advice shown before a secret is set. */
export function Advice({ sentences }: { sentences: string[] }) {
  return (
    <ul className={styles.advice}>
      {sentences.map((sentence) => (
        <li key={sentence}>
          <Icon name="shield" size={18} />
          {sentence}
        </li>
      ))}
    </ul>
  );
}
