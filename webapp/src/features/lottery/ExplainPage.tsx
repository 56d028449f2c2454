import { useTranslations } from "use-intl";
import { useGames } from "../../api/commonQueries.ts";
import { Page, TopBar } from "../../components/Page.tsx";
import { Rules } from "./Rules.tsx";

export default function ExplainPage() {
  const t = useTranslations("lottery");
  return (
    <Page top={<TopBar title={t("explain")} />}>
      <Rules plan={useGames().data?.[0]?.planList[0]} />
    </Page>
  );
}
