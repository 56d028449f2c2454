import { useState } from "react";
import { call } from "../../api/client.ts";
import { CallError } from "../../api/errors.ts";
import type { DepositNotice } from "../../api/types.ts";
import { toast } from "../../components/toast.ts";
import { useFailureText } from "../../i18n/failure.ts";
import { useFormKey } from "../../lib/formKey.ts";
import { stepUpThen } from "../../lib/stepUp.ts";
import { typedMinor, unitsOf } from "./amount.ts";
import type { DepositForm, Way } from "./deposit.ts";
import { useRefreshMoney } from "./queries.ts";
import type { Blame } from "./useSaving.ts";

/** Announces a deposit. What is answered is null where it was refused. */
export function useNotice(way: Way) {
  const failure = useFailureText();
  const refresh = useRefreshMoney();
  const key = useFormKey();
  const [busy, setBusy] = useState(false);
  const [blame, setBlame] = useState<Blame | null>(null);
  const send = async (form: DepositForm): Promise<DepositNotice | null> => {
    const amount = unitsOf(typedMinor(form.amount) ?? 0);
    const body = { amount, channel: way, reference: form.reference.trim() };
    setBusy(true);
    setBlame(null);
    try {
      const { data, msg } = await stepUpThen(() =>
        call("user/deposit", body, { key: key.of(body) }),
      );
      key.decided();
      toast(String(msg), "good");
      return data;
    } catch (error) {
      key.failed(error);
      const text = failure(error);
      toast(text, "bad");
      if (error instanceof CallError) setBlame({ field: error.field, text });
      return null;
    } finally {
      setBusy(false);
      void refresh();
    }
  };
  return { busy, blame, forgive: () => setBlame(null), send };
}
