import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { call } from "../../api/client.ts";
import { useFormKey } from "../../api/idempotencyKey.ts";
import type { Calls } from "../../api/types.ts";
import { withStepUp } from "../../api/withStepUp.ts";
import { toast } from "../../components/Toaster.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";

type Command =
  | "user/setLimit"
  | "user/timeOut"
  | "user/exclude"
  | "user/realityCheck"
  | "user/reserveQuota"
  | "user/releaseQuota"
  | "user/releaseBonus";

/** Sends a protection setting once a press; the page then shows the server's state. */
export function useProtectionCommand<P extends Command>(path: P) {
  const t = useTranslations("protection");
  const fail = useErrorToast();
  const queries = useQueryClient();
  const keys = useFormKey();
  const [busy, setBusy] = useState(false);
  /** The server's answer; null, after a toast, when it refused. */
  const send = async (body: Calls[P]["body"]): Promise<Calls[P]["data"] | null> => {
    const key = keys.of(body);
    setBusy(true);
    try {
      const { data } = await withStepUp(() => call(path, body, { key }));
      keys.decided();
      void queries.invalidateQueries({ queryKey: ["protection"] });
      toast(t("saved"), "good");
      return data;
    } catch (error) {
      keys.failed(error);
      fail(error);
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { busy, send };
}
