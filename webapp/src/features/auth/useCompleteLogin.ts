import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import type { UserInfo } from "../../api/types.ts";
import { toast } from "../../components/Toaster.tsx";
import { signIn } from "../../lib/session.ts";

const NAME = "fairdraw_username";
const DAYS = 14;

/** Keeps the user name on this device for 14 days; never the password. */
export function rememberUsername(username: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http.
  document.cookie = `${NAME}=${encodeURIComponent(username)}; Path=/vip; SameSite=Strict; Max-Age=${DAYS * 86_400}`;
}

export function forgetUsername(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain http.
  document.cookie = `${NAME}=; Path=/vip; SameSite=Strict; Max-Age=0`;
}

/** The user name in a cookie header's text, or nothing. */
export function usernameIn(cookies: string): string {
  const found = cookies.split("; ").find((cookie) => cookie.startsWith(`${NAME}=`));
  return found === undefined ? "" : decodeURIComponent(found.slice(NAME.length + 1));
}

const LOADING_MS = 500;

/** After a login or a registration: the session is stored, a brief loading, then home. */
export function useCompleteLogin(): (user: UserInfo, done: "loginDone" | "registerDone") => void {
  const t = useTranslations("entry");
  const common = useTranslations("common");
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (user, done) => {
    queries.removeQueries({ queryKey: ["profile"] });
    signIn(user);
    toast(common("loading"), "busy", LOADING_MS);
    setTimeout(() => {
      navigate("/", { replace: true });
      toast(t(done), "good");
    }, LOADING_MS);
  };
}
