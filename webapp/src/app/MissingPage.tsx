import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { Balls } from "../components/Balls.tsx";
import { Page, TopBar } from "../components/Page.tsx";
import { EmptyState } from "../components/Placeholder.tsx";
import styles from "./MissingPage.module.css";

/** 404 as a draw. */
const NOTHING_DRAWN = (
  <div aria-hidden="true">
    <Balls drawn={{ digits: [4, 0, 4], sum: 8 }} size="large" />
  </div>
);

/** The page of an unknown address. */
export default function MissingPage() {
  const t = useTranslations("account");
  const common = useTranslations("common");
  const navigate = useNavigate();
  return (
    <Page top={<TopBar title={common("brand")} />} className={styles.page}>
      <EmptyState
        icon="lock"
        art={NOTHING_DRAWN}
        text={t("notFound")}
        action={t("toHome")}
        onAction={() => navigate("/")}
      />
    </Page>
  );
}
