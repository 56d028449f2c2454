import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { Icon } from "../../components/Icon.tsx";
import styles from "./NewsLink.module.css";

export function NewsLink() {
  const t = useTranslations("home");
  return (
    <Link to="/moreNews" className={styles.link}>
      <Icon name="news" />
      <span>
        {t("news")}
        <small>{t("newsText")}</small>
      </span>
      <Icon name="next" size={18} />
    </Link>
  );
}
