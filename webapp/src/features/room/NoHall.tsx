import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState } from "../../components/Placeholder.tsx";

/** The room's page under an address that names no hall. */
export default function NoHall() {
  const t = useTranslations("room");
  const navigate = useNavigate();
  const toHalls = () => navigate("/lottery?id=0", { replace: true });
  return (
    <Page top={<TopBar title={t("noHallTitle")} />}>
      <EmptyState icon="info" text={t("noHall")} action={t("toHalls")} onAction={toHalls} />
    </Page>
  );
}
