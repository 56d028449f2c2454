import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { Card } from "../../components/Card.tsx";
import { LineChoice } from "../../components/LineChoice.tsx";
import { Page } from "../../components/Page.tsx";
import { TopBar } from "../../components/TopBar.tsx";

export default function LinePage() {
  const t = useTranslations("account");
  const navigate = useNavigate();
  return (
    <Page top={<TopBar title={t("changeLine")} />}>
      <Card>
        <LineChoice onChosen={() => navigate(-1)} />
      </Card>
    </Page>
  );
}
