import type { ReactNode } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { Page, TopBar } from "../../components/Page.tsx";
import styles from "./ChecksPage.module.css";

const LIMITS = ["paid", "odds", "together", "refused", "others", "app"] as const;

/** /fairness, for anyone: what the check of a draw and of the log shows, and what it does not. */
export default function ChecksPage() {
  const t = useTranslations("checks");
  const statistics = useTranslations("statistics");
  return (
    <Page top={<TopBar title={t("title")} />}>
      <div className={styles.checks}>
        <p className={styles.lead}>{t("lead")}</p>
        <Part title={t("parties.title")} texts={[t("parties.text1"), t("parties.text2")]} />
        <Part title={t("self.title")} texts={[t("self.text1")]} />
        <Part title={t("receipt.title")} texts={[t("receipt.text1"), t("receipt.text2")]} />
        <Part title={t("log.title")} texts={[t("log.text1"), t("log.text2")]} />
        <Part title={t("kept.title")} texts={[t("kept.text1"), t("kept.text2")]} />
        <Part
          title={t("compare.title")}
          texts={[t("compare.text1"), t("compare.text2"), t("compare.text3")]}
        />
        <Part title={t("evidence.title")} texts={[t("evidence.text1"), t("evidence.text2")]} />
        <Part title={t("limits.title")} texts={[]}>
          <ul>
            {LIMITS.map((limit) => (
              <li key={limit}>{t(`limits.${limit}`)}</li>
            ))}
          </ul>
          <Link to="/statistics" className={styles.link}>
            {statistics("title")}
          </Link>
        </Part>
      </div>
    </Page>
  );
}

interface PartProps {
  title: string;
  texts: readonly string[];
  children?: ReactNode;
}

function Part({ title, texts, children }: PartProps) {
  return (
    <section>
      <h2>{title}</h2>
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {children}
    </section>
  );
}
