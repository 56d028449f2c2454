import { useState } from "react";
import { call } from "../../api/client.ts";
import { CallError } from "../../api/errors.ts";
import { toast } from "../../components/toast.ts";
import { useFailureText } from "../../i18n/failure.ts";
import { useBack } from "../../lib/back.ts";
import { useFormKey } from "../../lib/formKey.ts";
import { stepUpThen } from "../../lib/stepUp.ts";
import type { AccountForm } from "./accountForm.ts";
import { useRefreshMoney } from "./queries.ts";

/** The server's words about one field of the form. */
export interface Blame {
  field: string;
  text: string;
}

/** Saves a payout account and goes back; a refusal is a toast, and stands by the field it blames. */
export function useSaving() {
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
