import { Suspense, useState } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { useNews } from "../../api/commonQueries.ts";
import type { Article } from "../../api/types.ts";
import { Icon } from "../../components/Icon.tsx";
import { Card } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Placeholder.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { lazyWithRetry } from "../../lib/lazyWithRetry.ts";
import styles from "./Headlines.module.css";

const RichText = lazyWithRetry(() =>
  import("../../components/RichText.tsx").then(({ RichText }) => ({ default: RichText })),
);
const SHOWN = 3;

/** A link to the news page, and its newest headlines, which open over the page without a login. */
export function Headlines() {
  const t = useTranslations("home");
  const news = useNews();
  const articles = news.data?.articles.slice(0, SHOWN) ?? [];
  const [open, setOpen] = useState<Article | null>(null);
  return (
    <Card className={styles.news}>
      <Link to="/moreNews" className={styles.link}>
        <Icon name="news" />
        <span>
          <b>{t("news")}</b>
          <small>{t("newsText")}</small>
        </span>
        <Icon name="next" size={18} />
      </Link>
      <ul className={news.isPending ? styles.pending : undefined}>
        {articles.map((article) => (
          <li key={article.id}>
            <button type="button" onClick={() => setOpen(article)} data-testid="headline">
              {article.title}
            </button>
          </li>
        ))}
      </ul>
      <Sheet open={open !== null} onClose={() => setOpen(null)} title={open?.title ?? ""}>
        <Suspense fallback={<Skeleton />}>{open && <RichText html={open.content} />}</Suspense>
      </Sheet>
    </Card>
  );
}
