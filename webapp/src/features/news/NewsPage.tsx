import { Link, useSearchParams } from "react-router";
import { useFormatter, useTranslations } from "use-intl";
import { useNews } from "../../api/commonQueries.ts";
import type { Article, News, Schemas } from "../../api/types.ts";
import { Icon } from "../../components/Icon.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { PullToRefresh } from "../../components/PullToRefresh.tsx";
import { wordsOf } from "../../components/RichText.tsx";
import { StaleNotice } from "../../components/StaleNotice.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { articlePath } from "./articleUrl.ts";
import styles from "./NewsPage.module.css";
import { TopicArt } from "./TopicArt.tsx";

/** Hot topics, and below them the articles by tab. */
export default function NewsPage() {
  const t = useTranslations("news");
  const common = useTranslations("common");
  const failure = useErrorText();
  const news = useNews();
  const { data, error, isPending, refetch } = news;
  return (
    <Page top={<TopBar title={t("title")} />} body="fixed">
      <PullToRefresh onRefresh={refetch}>
        {isPending && <Skeleton />}
        {error && !data && (
          <EmptyState
            icon="alert"
            text={failure(error)}
            action={common("reload")}
            onAction={() => refetch()}
          />
        )}
        <StaleNotice query={news} className={styles.stale} />
        {data && <Topics tops={data.tops} />}
        {data && <Articles news={data} />}
      </PullToRefresh>
    </Page>
  );
}

function Topics({ tops }: { tops: Article[] }) {
  const t = useTranslations("news");
  if (tops.length === 0) return null;
  return (
    <Card className={styles.topics} aria-label={t("hot")}>
      <h2>{t("hot")}</h2>
      <ol>
        {tops.map((article, at) => (
          <Topic key={article.id} article={article} place={at + 1} />
        ))}
      </ol>
    </Card>
  );
}

function Topic({ article, place }: { article: Article; place: number }) {
  const t = useTranslations("news");
  return (
    <li>
      <Link to={articlePath(article)} className={styles.topic} data-testid="topic">
        <span className={styles.place} aria-hidden="true">
          {place}
        </span>
        <span className={styles.about}>
          <b>{article.title}</b>
          <span className={styles.views}>
            <Icon name="eye" size={14} /> {t("views", { count: article.views })}
          </span>
        </span>
        {place === 1 && <TopicArt article={article} />}
      </Link>
    </li>
  );
}

function Articles({ news }: { news: News }) {
  const t = useTranslations("news");
  const [query, setQuery] = useSearchParams();
  const tabs = news.articleTabs.map(({ id, name }) => ({ id, label: name }));
  const chosen = news.articleTabs.find(({ id }) => id === query.get("tab")) ?? news.articleTabs[0];
  if (chosen === undefined) return null;
  return (
    <>
      <div className={styles.tabs}>
        <Tabs
          label={t("tabs")}
          tabs={tabs}
          value={chosen.id}
          onChange={(tab) => setQuery({ tab }, { replace: true })}
        />
      </div>
      <Listed tab={chosen} />
    </>
  );
}

function Listed({ tab }: { tab: Schemas["ArticleTab"] }) {
  const t = useTranslations("news");
  return (
    <div role="tabpanel" aria-label={tab.name}>
      {tab.articles.length === 0 && <EmptyState icon="news" text={t("tabEmpty")} />}
      <ul className={styles.list}>
        {tab.articles.map((article) => (
          <Row key={article.id} article={article} />
        ))}
      </ul>
    </div>
  );
}

function Row({ article }: { article: Article }) {
  const format = useFormatter();
  return (
    <li>
      <Link to={articlePath(article)} className={styles.row} data-testid="article">
        <TopicArt article={article} />
        <span className={styles.about}>
          <b>{article.title}</b>
          <span className={styles.start}>{wordsOf(article.content).slice(0, 120)}</span>
          <time>{format.dateTime(article.createtime * 1_000, { dateStyle: "medium" })}</time>
        </span>
      </Link>
    </li>
  );
}
