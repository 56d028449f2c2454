import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { useFormatter, useTranslations } from "use-intl";
import { CallError, call } from "../../api/client.ts";
import { NEWS_FRESH_MS, NEWS_KEY } from "../../api/commonQueries.ts";
import type { News } from "../../api/types.ts";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState, Skeleton } from "../../components/Placeholder.tsx";
import { RichText } from "../../components/RichText.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import styles from "./ArticlePage.module.css";
import { type Item, readItem } from "./articleUrl.ts";

/** An article: /aticleDetail?item= its JSON, or ?id= */
export default function ArticlePage() {
  const t = useTranslations("news");
  const [query] = useSearchParams();
  const item = readItem(query);
  return (
    <Page top={<TopBar title={t("article")} />}>
      {item === null ? <Missing text={t("noArticle")} /> : <Found key={item.id} item={item} />}
    </Page>
  );
}

/** The article of an id; from the list while that is fresh. */
function useArticle(id: string) {
  const queries = useQueryClient();
  const listed = () =>
    queries.getQueryData<News>(NEWS_KEY)?.articles.find((article) => article.id === id);
  return useQuery({
    queryKey: ["article", id],
    queryFn: async ({ signal }): Promise<Item> =>
      (await call("index/articledetail", { id }, { signal })).data,
    initialData: listed,
    initialDataUpdatedAt: () => queries.getQueryState(NEWS_KEY)?.dataUpdatedAt,
    staleTime: NEWS_FRESH_MS,
    placeholderData: () => undefined,
  });
}

function Found({ item }: { item: Item }) {
  const common = useTranslations("common");
  const failure = useErrorText();
  const { data, error, refetch } = useArticle(item.id);
  const withdrawn = error instanceof CallError && error.reason === "article_unknown";
  // Anyone can craft an address, so content in one from outside is not shown.
  const fromList = useLocation().key !== "default" && item.content !== "";
  const shown = withdrawn ? undefined : (data ?? (fromList ? item : undefined));
  if (shown) return <Shown item={shown} />;
  if (withdrawn) return <Missing text={failure(error)} />;
  if (!error) return <Skeleton />;
  return (
    <EmptyState
      icon="alert"
      text={failure(error)}
      action={common("reload")}
      onAction={() => refetch()}
    />
  );
}

function Shown({ item }: { item: Item }) {
  const format = useFormatter();
  return (
    <article className={styles.article}>
      <h2>{item.title}</h2>
      {item.createtime > 0 && (
        <time>{format.dateTime(item.createtime * 1_000, { dateStyle: "long" })}</time>
      )}
      <RichText html={item.content} />
    </article>
  );
}

function Missing({ text }: { text: string }) {
  const t = useTranslations("news");
  const navigate = useNavigate();
  return (
    <EmptyState
      icon="news"
      text={text}
      action={t("toNews")}
      onAction={() => navigate("/moreNews", { replace: true })}
    />
  );
}
