import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import type { Calls } from "../../api/types.ts";

/** Saves profile fields and refetches the profile; resolves to the server's message. */
export function useStoreProfile(): (form: Calls["user/profile"]["body"]) => Promise<string> {
  const keys = useFormKey();
  const queries = useQueryClient();
  return async (form) => {
    try {
      const { msg } = await call("user/profile", form, { key: keys.of(form) });
      keys.decided();
      await queries.invalidateQueries({ queryKey: ["profile"] });
      return String(msg);
    } catch (error) {
      keys.failed(error);
      throw error;
    }
  };
}
