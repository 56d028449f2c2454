import { useState } from "react";
import { call } from "../../api/client.ts";
import { reasonOf } from "../../api/errors.ts";
import { toast } from "../../components/toast.ts";
import { useFailureText } from "../../i18n/failure.ts";
import { useFormKey } from "../../lib/formKey.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import { type RegisterForm, refusedField } from "./rules.ts";
import { useEnter } from "./useEnter.ts";

/** What the house would not take, and its words for it. */
export interface RefusedValue {
  field: keyof RegisterForm;
  value: string;
  text: string;
}

/**
 * Sends a form with one key until the house has decided about it. A visitor's account becomes
 * the member's, with everything in it.
 */
export function useRegister(onRefused: () => void) {
  const enter = useEnter();
  const visitor = useSession(isGuest);
  const failure = useFailureText();
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
