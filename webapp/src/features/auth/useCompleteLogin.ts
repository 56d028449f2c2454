import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import type { UserInfo } from "../../api/types.ts";
import { toast } from "../../components/toast.ts";
import { signIn } from "../../lib/session.ts";

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
