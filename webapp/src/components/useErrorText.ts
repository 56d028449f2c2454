import { useTranslations } from "use-intl";
import { CallError } from "../api/client.ts";
import { toast } from "./Toaster.tsx";

/** The text of a call's error: the server's message where there is one. */
export function useErrorText(): (error: unknown) => string {
  const t = useTranslations("common");
  return (error) => {
    if (!(error instanceof CallError)) return t("loadFailed");
    if (error.reason === "no_network") return t("noNetwork");
    if (error.reason === "cancelled") return t("cancelled");
    return error.message || t("loadFailed");
  };
}

/** Shows a failure as the specification asks: a toast with the server's msg. */
export function useErrorToast(): (error: unknown) => void {
  const text = useErrorText();
  return (error) => toast(text(error), "bad");
}
