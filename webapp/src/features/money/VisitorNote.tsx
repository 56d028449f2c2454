import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { EmptyState } from "../../components/Placeholder.tsx";

/** Tells a visitor that this page needs a full account, with a button to register. */
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
