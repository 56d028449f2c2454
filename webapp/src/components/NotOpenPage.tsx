import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { Balls } from "./Balls.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { Page } from "./Page.tsx";
import { TopBar } from "./TopBar.tsx";

/** What is said of an address without a page, as the house draws. */
const NOTHING_DRAWN = (
  <div aria-hidden="true">
    <Balls drawn={{ digits: [4, 0, 4], sum: 8 }} size="large" />
  </div>
);

/** Stands honestly where a later part will be, or where there is nothing at all. */
export default function NotOpenPage({ missing = false }: { missing?: boolean }) {
  const t = useTranslations("common");
  const navigate = useNavigate();
  return (
    <Page top={<TopBar title={missing ? t("brand") : t("notOpenTitle")} />}>
      <EmptyState
        icon="lock"
        art={missing && NOTHING_DRAWN}
        text={missing ? t("notFound") : t("notOpen")}
        action={t("toHome")}
        onAction={() => navigate("/")}
      />
    </Page>
  );
}
