import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { LinePicker } from "../../components/LinePicker.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";

export default function LinePage() {
  const t = useTranslations("account");
  const navigate = useNavigate();
  return (
    <Page top={<TopBar title={t("changeLine")} />}>
      <Card>
        <LinePicker onChosen={() => navigate(-1)} />
      </Card>
    </Page>
  );
}
