import { useEffect } from "react";
import { Outlet, useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { toast } from "../components/toast.ts";
import { isSignedIn, useSession } from "../lib/session.ts";

const TOAST_MS = 500;

/** Lets members through; anyone else sees a loading toast for half a second, then /login. */
export function Guard() {
  useSession((session) => session.token);
  return isSignedIn() ? <Outlet /> : <SendToLogin />;
}

function SendToLogin() {
  const t = useTranslations("common");
  const navigate = useNavigate();
  useEffect(() => {
    toast(t("loading"), "busy", TOAST_MS);
    const timer = setTimeout(() => navigate("/login", { replace: true }), TOAST_MS);
    return () => clearTimeout(timer);
  }, [navigate, t]);
  return null;
}
