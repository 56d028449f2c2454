import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { Card } from "../../components/Card.tsx";
import { Icon } from "../../components/Icon.tsx";
import styles from "./Headlines.module.css";

/** The way to the candlestick charts of all games. */
export function ChartsLink() {
  const t = useTranslations("home");
  return (
    <Card className={styles.news}>
      <Link to="/find" className={styles.link}>
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
