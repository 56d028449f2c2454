import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { Profile } from "../../api/types.ts";
import { Icon } from "../../components/Icon.tsx";
import styles from "./CompleteCard.module.css";

/** Leads a full member to what a first withdrawal will ask for, until it is given. */
export function CompleteCard({ profile }: { profile: Profile | undefined }) {
  const t = useTranslations("profile.complete");
  if (profile === undefined || profile.usercrud || profile.group_id === 2) return null;
  const query = new URLSearchParams({ name: profile.username });
  return (
    <Link to={`/baseinfo?${query}`} className={styles.card}>
      <Icon name="shield" size={22} />
      <span>
        {t("title")}
        <small>{t("text")}</small>
      </span>
      <Icon name="next" size={16} />
    </Link>
  );
}
