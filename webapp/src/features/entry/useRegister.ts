import { useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { reasonOf } from "../../api/errors.ts";
import { toast } from "../../components/toast.ts";
import { useFailureText } from "../../i18n/failure.ts";
import { newKey } from "../../lib/key.ts";
import { type RegisterForm, refusedField } from "./rules.ts";
import { useEnter } from "./useEnter.ts";

/** What the house would not take, and its words for it. */
export interface RefusedValue {
  field: keyof RegisterForm;
  value: string;
  text: string;
}

/** Sends a form with one key for as long as its words stay the same. */
export function useRegister(onRefused: () => void) {
  const enter = useEnter();
  const failure = useFailureText();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<RefusedValue>();
  const sent = useRef({ form: "", key: "" });
  const send = async (form: RegisterForm) => {
    const text = JSON.stringify(form);
    if (sent.current.form !== text) sent.current = { form: text, key: newKey() };
    setBusy(true);
    try {
      const { username, password, invite } = form;
      const body = { username, password, group_id: 1 as const, inviter_id: invite.trim() };
      const { data } = await call("user/register", body, { key: sent.current.key });
      enter(data.userinfo, "registerDone");
    } catch (error) {
      const field = refusedField(reasonOf(error));
      toast(failure(error), "bad");
      setRefused(field && { field, value: form[field], text: failure(error) });
      setBusy(false);
      onRefused();
    }
  };
  return { busy, refused, send };
}
