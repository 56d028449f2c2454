import { type ChangeEvent, type FormEvent, useState } from "react";
import { CallError, call } from "../../api/client.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import type { PayoutType } from "../../api/types.ts";
import { withStepUp } from "../../api/withStepUp.ts";
import { useFocusFirstError } from "../../components/Field.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { useBack } from "../../lib/useBack.ts";
import { useRefreshMoney } from "./queries.ts";

/** The server's message about one field of the form. */
export interface FieldError {
  field: string;
  text: string;
}

/** Saves a payout account and goes back; a refusal is shown as a toast and at its field. */
function useSavePayoutAccount() {
  const failure = useErrorText();
  const refresh = useRefreshMoney();
  const back = useBack("/setting?type=2");
  const key = useFormKey();
  const [busy, setBusy] = useState(false);
  const [fieldError, setFieldError] = useState<FieldError | null>(null);
  const save = async (form: AccountForm): Promise<void> => {
    setBusy(true);
    setFieldError(null);
    try {
      const { msg } = await withStepUp(() => call("user/setPayInfo", form, { key: key.of(form) }));
      key.decided();
      toast(String(msg), "good");
      await refresh();
      back();
    } catch (error) {
      key.failed(error);
      const text = failure(error);
      toast(text, "bad");
      if (error instanceof CallError) setFieldError({ field: error.field, text });
      setBusy(false);
    }
  };
  return { busy, fieldError, clearError: () => setFieldError(null), save };
}

/** A form for a payout account, whose fields are checked in this order. */
export function useAccountForm(type: PayoutType, order: readonly AccountField[]) {
  const [element, showFirstProblem] = useFocusFirstError();
  const { busy, fieldError, clearError, save } = useSavePayoutAccount();
  const [form, setForm] = useState<AccountForm>({ type, acc: "", acc_name: "", acc_bank: "" });
  const [tried, setTried] = useState(false);
  const missing = tried ? emptyFields(form, order) : [];
  const set = (name: AccountField, value: string) => {
    clearError();
    setForm((before) => ({ ...before, [name]: value }));
  };
  const errorOf = (name: AccountField, prompt: string): string | undefined => {
    if (missing.includes(name)) return prompt;
    return fieldError?.field === name ? fieldError.text : undefined;
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

/** Fields that are still empty, in the order of the form. */
export function emptyFields(form: AccountForm, fields: readonly AccountField[]): AccountField[] {
  return fields.filter((field) => form[field].trim() === "");
}

/** A card number in groups of four, as it is embossed; whatever is no digit is left out. */
export function grouped(typed: string): string {
  const digits = typed.normalize("NFKC").replace(/\D/g, "");
  return digits.replace(/(\d{4})(?=\d)/g, "$1 ");
}
