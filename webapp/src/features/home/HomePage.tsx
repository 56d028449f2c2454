import { Suspense, useState } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { useConfig, useGames } from "../../api/commonQueries.ts";
import type { AppConfig } from "../../api/types.ts";
import { Icon } from "../../components/Icon.tsx";
import { Card, Page } from "../../components/Page.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { loadPageTexts } from "../../i18n/texts.ts";
import { isDiscontinued } from "../../lib/halls.ts";
import { lazyWithRetry } from "../../lib/lazyWithRetry.ts";
import { useSession } from "../../lib/session.ts";
import { BalanceBox } from "./BalanceBox.tsx";
import { Carousel } from "./Carousel.tsx";
import { Halls } from "./Halls.tsx";
import links from "./Headlines.module.css";
import { Headlines } from "./Headlines.tsx";
import styles from "./HomePage.module.css";
import { NoticeBar } from "./NoticeBar.tsx";
import { WinnerTicker } from "./WinnerTicker.tsx";

/** Not in the first load: nearly always the product is on sale. */
const Discontinued = lazyWithRetry(async () => ({
  default: (await import("../../components/Discontinued.tsx")).Discontinued,
}));

export default function HomePage() {
  const config = useConfig();
  const games = useGames().data;
  return (
    <Page top={<HomeTop />} className={styles.home}>
      {games && isDiscontinued(games) && (
        <Suspense fallback={null}>
          <Discontinued />
        </Suspense>
      )}
      <Carousel banners={config?.banner} />
      <NoticeBar announcements={config?.announcements} />
      <BalanceBox demo={config?.demo} />
      <Halls />
      <ChartsLink />
      <WinnerTicker />
      <Headlines />
      <OperatorNote config={config} />
    </Page>
  );
}

/** The line picker with its texts, which are among the page texts. */
const LineChoice = lazyWithRetry(async () => {
  const chunk = import("../../components/LinePicker.tsx");
  const [{ LinePicker }] = await Promise.all([chunk, loadPageTexts()]);
  return { default: LinePicker };
});

/** Brand, line selector, language. */
function HomeTop() {
  const t = useTranslations("home");
  const common = useTranslations("common");
  const line = useSession((session) => session.activeList);
  const [choosing, setChoosing] = useState(false);
  return (
    <>
      <header className={styles.top}>
        <h1 className={styles.brand}>
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="30" height="30" />
          {common("brand")}
        </h1>
        <button type="button" className={styles.line} onClick={() => setChoosing(true)}>
          {common("line", { number: String(line + 1) })}
          <Icon name="down" size={14} />
        </button>
        <Link to="/language" className={styles.language} aria-label={t("language")}>
          <Icon name="globe" />
        </Link>
      </header>
      <Sheet open={choosing} onClose={() => setChoosing(false)} title={t("lines")}>
        <Suspense fallback={null}>
          <LineChoice onChosen={() => setChoosing(false)} />
        </Suspense>
      </Sheet>
    </>
  );
}

/** The way to the candlestick charts of all games. */
function ChartsLink() {
  const t = useTranslations("home");
  return (
    <Card className={links.news}>
      <Link to="/find" className={links.link}>
        <Icon name="chart" />
        <span>
          <b>{t("charts")}</b>
          <small>{t("chartsText")}</small>
        </span>
        <Icon name="next" size={18} />
      </Link>
    </Card>
  );
}

/**
 * Who runs this, from what age, and that it is a game of chance; a demonstration has no licence.
 */
function OperatorNote({ config }: { config: AppConfig | undefined }) {
  const t = useTranslations("home");
  const common = useTranslations("common");
  return (
    <footer className={styles.note}>
      <p>{common("chance")}</p>
      {config && (
        <p>
          {config.demo
            ? t("demo", { name: config.operator.name, age: String(config.operator.minimum_age) })
            : t("operator", {
                name: config.operator.name,
                licence: config.operator.licence,
                jurisdiction: config.operator.jurisdiction,
                age: String(config.operator.minimum_age),
              })}
        </p>
      )}
    </footer>
  );
}
