import { useTranslations } from "use-intl";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Page } from "../../components/Page.tsx";
import { TopBar } from "../../components/TopBar.tsx";

export default function BetRoomPage() {
  const t = useTranslations("common");
  return (
    <Page top={<TopBar title={t("brand")} />}>
      <EmptyState text={t("loading")} />
    </Page>
  );
}
