import { type ChangeEvent, type FormEvent, useState } from "react";
import { call } from "../../api/client.ts";
import { CallError } from "../../api/errors.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import type { PayoutType } from "../../api/types.ts";
import { stepUpThen } from "../../api/withStepUp.ts";
import { toast } from "../../components/toast.ts";
import { useFailureText } from "../../components/useErrorText.ts";
import { useBack } from "../../lib/useBack.ts";
import { useFirstProblem } from "../../lib/useFocusFirstError.ts";
import { useRefreshMoney } from "./queries.ts";

/** The server's words about one field of the form. */
export interface Blame {
  field: string;
  text: string;
}

/** Saves a payout account and goes back; a refusal is a toast, and stands by the field it blames. */
function useSaving() {
  const failure = useFailureText();
  const refresh = useRefreshMoney();
  const back = useBack("/setting?type=2");
  const key = useFormKey();
  const [busy, setBusy] = useState(false);
  const [blame, setBlame] = useState<Blame | null>(null);
  const save = async (form: AccountForm): Promise<void> => {
    setBusy(true);
    setBlame(null);
    try {
      const { msg } = await stepUpThen(() => call("user/setPayInfo", form, { key: key.of(form) }));
      key.decided();
      toast(String(msg), "good");
      await refresh();
      back();
    } catch (error) {
      key.failed(error);
      const text = failure(error);
      toast(text, "bad");
      if (error instanceof CallError) setBlame({ field: error.field, text });
      setBusy(false);
    }
  };
  return { busy, blame, forgive: () => setBlame(null), save };
}

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

/** A payout account as it is sent; of a wallet `acc` is the address and `acc_name` its type. */
interface AccountForm {
  type: PayoutType;
  acc: string;
  acc_name: string;
  acc_bank: string;
}

type AccountField = "acc" | "acc_name" | "acc_bank";

/** Fields that are still empty, in the order in which they stand on the form. */
export function emptyFields(form: AccountForm, fields: readonly AccountField[]): AccountField[] {
  return fields.filter((field) => form[field].trim() === "");
}

/** A card number in groups of four, as it is embossed; whatever is no digit is left out. */
export function grouped(typed: string): string {
  const digits = typed.normalize("NFKC").replace(/\D/g, "");
  return digits.replace(/(\d{4})(?=\d)/g, "$1 ");
}
