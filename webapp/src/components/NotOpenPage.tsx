import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { EmptyState } from "./EmptyState.tsx";
import { Page } from "./Page.tsx";
import { TopBar } from "./TopBar.tsx";

/** Stands honestly where a later part will be, or where there is nothing at all. */
export default function NotOpenPage({ missing = false }: { missing?: boolean }) {
  const t = useTranslations("common");
  const navigate = useNavigate();
  return (
    <Page top={<TopBar title={missing ? t("brand") : t("notOpenTitle")} />}>
      <EmptyState
        icon={missing ? "alert" : "lock"}
        text={missing ? t("notFound") : t("notOpen")}
        action={t("toHome")}
        onAction={() => navigate("/")}
      />
    </Page>
  );
}
