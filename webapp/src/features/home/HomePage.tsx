import { useConfig } from "../../api/queries.ts";
import { Discontinued } from "../../components/Discontinued.tsx";
import { Page } from "../../components/Page.tsx";
import { BalanceBox } from "./BalanceBox.tsx";
import { Carousel } from "./Carousel.tsx";
import { ChartsLink } from "./ChartsLink.tsx";
import { Halls } from "./Halls.tsx";
import { Headlines } from "./Headlines.tsx";
import styles from "./HomePage.module.css";
import { HomeTop } from "./HomeTop.tsx";
import { NoticeBar } from "./NoticeBar.tsx";
import { OperatorNote } from "./OperatorNote.tsx";
import { WinnerTicker } from "./WinnerTicker.tsx";

export default function HomePage() {
  const config = useConfig();
  return (
    <Page top={<HomeTop />} className={styles.home}>
      <Discontinued />
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
