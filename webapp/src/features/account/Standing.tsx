import { Link } from "react-router";
import { useTranslations } from "use-intl";
import type { Profile } from "../../api/types.ts";
import { Amount } from "../../components/Amount.tsx";
import { Icon } from "../../components/Icon.tsx";
import { levelOf } from "../../lib/levels.ts";
import styles from "./Standing.module.css";

/** The member's level and bonus money; behind it stands what either still needs. */
export function Standing({ profile }: { profile: Profile | undefined }) {
  const t = useTranslations("protection");
  return (
    <Link to="/setting?type=3&part=progress" className={styles.standing}>
      <span>
        <b>{t(`levels.${levelOf(profile?.level ?? null)}`)}</b>
        <small>
          {t("bonus.title")} <Amount value={profile?.score} />
        </small>
      </span>
      <Icon name="next" size={16} />
    </Link>
  );
}
