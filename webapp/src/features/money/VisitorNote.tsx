import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { EmptyState } from "../../components/EmptyState.tsx";

/** Why a visitor finds nothing to fill in here, and the way to change that. */
export function VisitorNote() {
  const t = useTranslations("money");
  const navigate = useNavigate();
  return (
    <EmptyState
      icon="person"
      text={t("visitor")}
      action={t("register")}
      onAction={() => navigate("/register")}
    />
  );
}
