import { type ChangeEvent, type FormEvent, useState } from "react";
import type { PayoutType } from "../../api/types.ts";
import { useFirstProblem } from "../../lib/firstProblem.ts";
import { type AccountField, type AccountForm, emptyFields } from "./accountForm.ts";
import { useSaving } from "./useSaving.ts";

/** A form for a payout account, whose fields are wanted in this order. */
export function useAccountForm(type: PayoutType, order: readonly AccountField[]) {
  const [element, showFirstProblem] = useFirstProblem();
  const { busy, blame, forgive, save } = useSaving();
  const [form, setForm] = useState<AccountForm>({ type, acc: "", acc_name: "", acc_bank: "" });
  const [tried, setTried] = useState(false);
  const missing = tried ? emptyFields(form, order) : [];
  const set = (name: AccountField, value: string) => {
    forgive();
    setForm((before) => ({ ...before, [name]: value }));
  };
  const errorOf = (name: AccountField, prompt: string): string | undefined => {
    if (missing.includes(name)) return prompt;
    return blame?.field === name ? blame.text : undefined;
  };
  const field = (name: AccountField, prompt: string, written = (text: string) => text) => ({
    name,
    value: form[name],
    error: errorOf(name, prompt),
    onChange: (event: ChangeEvent<HTMLInputElement>) => set(name, written(event.target.value)),
  });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (emptyFields(form, order).length === 0) await save(form);
    showFirstProblem();
  };
  return { busy, element, form, set, field, errorOf, submit };
}
