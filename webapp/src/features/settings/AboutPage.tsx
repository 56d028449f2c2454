import { useTranslations } from "use-intl";
import { useConfig } from "../../api/commonQueries.ts";
import type { AppConfig } from "../../api/types.ts";
import { PlayMoney } from "../../components/Amount.tsx";
import { LinkList } from "../../components/LinkList.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import styles from "./Settings.module.css";

const VERSION = "21.04.02";

export default function AboutPage() {
  const t = useTranslations("account");
  const common = useTranslations("common");
  const lottery = useTranslations("lottery");
  const statistics = useTranslations("statistics");
  const checks = useTranslations("checks");
  const config = useConfig();
  return (
    <Page top={<TopBar title={t("about")} />} className={styles.about}>
      <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="88" height="88" />
      <h2>{common("brand")}</h2>
      <p>{t("version", { version: config?.version ?? VERSION })}</p>
      <p className={styles.note}>{t("aboutText")}</p>
      <p className={styles.note}>{common("chance")}</p>
      <PlayMoney show={config?.demo} />
      {config && (
        <Card className={styles.operator}>
          <OperatorFacts config={config} />
        </Card>
      )}
      <div className={styles.operator}>
        <LinkList
          items={[
            { icon: "book", label: lottery("explain"), to: "/lotteryExplain" },
            { icon: "shield", label: checks("title"), to: "/fairness" },
            { icon: "chart", label: statistics("title"), to: "/statistics" },
          ]}
        />
      </div>
      <p className={styles.version}>{t("copyright")}</p>
    </Page>
  );
}

/** Demo mode has no licence and says that its money is play money. */
function OperatorFacts({ config: { demo, operator } }: { config: AppConfig }) {
  const t = useTranslations("account");
  const licensed = [
    [t("licence"), operator.licence],
    [t("jurisdiction"), operator.jurisdiction],
  ] as const;
  const facts = [
    [t("operator"), operator.name],
    ...(demo ? [] : licensed),
    [t("minimumAge"), operator.minimum_age],
  ] as const;
  return (
    <dl className={styles.facts}>
      {facts.map(([label, fact]) => (
        <div key={label} style={{ display: "contents" }}>
          <dt>{label}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
