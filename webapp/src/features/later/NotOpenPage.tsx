import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Page } from "../../components/Page.tsx";
import { TopBar } from "../../components/TopBar.tsx";

/** Stands honestly where a later part will be. */
export default function NotOpenPage() {
  const t = useTranslations("common");
  const navigate = useNavigate();
  return (
    <Page top={<TopBar title={t("notOpenTitle")} />}>
      <EmptyState
        icon="lock"
        text={t("notOpen")}
        action={t("toHome")}
        onAction={() => navigate("/")}
      />
    </Page>
  );
}
