import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { useGames } from "../api/commonQueries.ts";
import { isDiscontinued } from "../lib/halls.ts";
import styles from "./Discontinued.module.css";
import { Icon } from "./Icon.tsx";

/** Says that the product is discontinued, once it is, and leads to what remains: withdrawing. */
export function Discontinued() {
  const t = useTranslations("home");
  const games = useGames().data;
  if (games === undefined || !isDiscontinued(games)) return null;
  return (
    <Link to="/withdraw" className={styles.over} data-testid="discontinued">
      <Icon name="alert" size={22} />
      <span role="status">
        <b>{t("discontinued")}</b> {t("discontinuedText")}
      </span>
      <Icon name="next" size={16} />
    </Link>
  );
}
