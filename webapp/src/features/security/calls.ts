import { useQueryClient } from "@tanstack/react-query";
import type { Calls } from "../../api/calls.ts";
import { call } from "../../api/client.ts";
import type { SafetyInfo } from "../../api/types.ts";
import { useFormKey } from "../../lib/formKey.ts";
import { stepUpThen } from "../../lib/stepUp.ts";

/** Sets a first code, when `old` is empty, or changes it. What the account may do is asked anew. */
export function useSetCode(): (fresh: string, old: string) => Promise<SafetyInfo> {
  const send = useSecretCall("user/setSafety");
  const queries = useQueryClient();
  return async (fresh, old) => {
    const { data } = await send({ new_code: fresh, after_code: old });
    queries.invalidateQueries();
    return data;
  };
}

/** Changes the password, which ends every other session of the member. */
export function useSetPassword(): (fresh: string, old: string) => Promise<void> {
  const send = useSecretCall("user/newPass");
  const queries = useQueryClient();
  return async (fresh, old) => {
    await send({ new_pass: fresh, after_pass: old });
    queries.invalidateQueries({ queryKey: ["sessions"] });
  };
}

/** One call for each form, however often it is sent, and the password first where it is wanted. */
function useSecretCall<P extends "user/setSafety" | "user/newPass">(path: P) {
  const keys = useFormKey();
  return async (form: Calls[P]["body"]) => {
    try {
      const key = keys.of(form);
      const answer = await stepUpThen(() => call(path, form, { key }));
      keys.decided();
      return answer;
    } catch (error) {
      keys.failed(error);
      throw error;
    }
  };
}
