import { Link, useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { useConfig, useProfile } from "../../api/commonQueries.ts";
import type { Profile } from "../../api/types.ts";
import { Amount, PlayMoney } from "../../components/Amount.tsx";
import OwnAvatar from "../../components/Avatar.tsx";
import { useUnreadBadge } from "../../components/Badge.tsx";
import { Button } from "../../components/Button.tsx";
import { Discontinued } from "../../components/Discontinued.tsx";
import { Icon } from "../../components/Icon.tsx";
import { LinkList } from "../../components/LinkList.tsx";
import { Card, Page } from "../../components/Page.tsx";
import { PullToRefresh } from "../../components/PullToRefresh.tsx";
import { StatRow } from "../../components/StatRow.tsx";
import { levelOf } from "../../lib/levels.ts";
import { useSession } from "../../lib/session.ts";
import styles from "./PersonalPage.module.css";

export default function PersonalPage() {
  const t = useTranslations("account");
  const breaks = useTranslations("breaks");
  const actions = useTranslations("profile.actions");
  const profile = useProfile();
  const badge = useUnreadBadge();
  return (
    <Page top={<span />} body="fixed">
      <PullToRefresh onRefresh={profile.refetch}>
        <Head profile={profile.data} />
        <Discontinued />
        <Funds profile={profile.data} />
        <CompleteCard profile={profile.data} />
        <LinkList
          items={[
            { icon: "person", label: t("accountInfo"), to: "/setting?type=2" },
            { icon: "list", label: t("betHistory"), to: "/betRecord" },
            { icon: "chart", label: t("fundDetails"), to: "/capitalDetail" },
            { icon: "bell", label: t("messages"), to: "/notice", badge },
            { icon: "hourglass", label: breaks("title"), to: "/setting?type=3" },
            { icon: "check", label: actions("title"), to: "/actionCenter" },
          ]}
        />
        <Link to="/shareFriend" hidden>
          {t("share")}
        </Link>
      </PullToRefresh>
    </Page>
  );
}

function Head({ profile }: { profile: Profile | undefined }) {
  const t = useTranslations("account");
  const known = useSession((session) => session.username);
  const username = profile?.username ?? known;
  return (
    <header className={styles.head}>
      <Link
        to={`/baseinfo?${new URLSearchParams({ name: username })}`}
        className={styles.avatar}
        aria-label={t("avatar")}
      >
        <OwnAvatar size={60} />
      </Link>
      <div className={styles.name}>
        <h1>{username}</h1>
        <Link to="/shareFriend" className={styles.invite}>
          <span>
            {t("incode")} <b>{profile?.incode ?? "—"}</b>
          </span>
          <Icon name="share" size={16} />
          <span className="visually-hidden">{t("share")}</span>
        </Link>
      </div>
      <Link to="/setting?type=1" className={styles.gear} aria-label={t("settings")}>
        <Icon name="gear" />
      </Link>
    </header>
  );
}

function Funds({ profile }: { profile: Profile | undefined }) {
  const t = useTranslations("account");
  const navigate = useNavigate();
  const demo = useConfig()?.demo;
  const group = useSession((session) => session.group_id);
  return (
    <Card className={styles.funds}>
      <p className={styles.label}>
        {t("totalAssets")} <PlayMoney show={demo} />
      </p>
      <Amount value={profile?.total_assets} className={styles.total} />
      <StatRow
        figures={[
          [t("available"), <Amount key="available" value={profile?.money} />],
          [t("todayProfit"), <Amount key="today" value={profile?.today_profit} signed />],
          [t("yesterday"), <Amount key="yesterday" value={profile?.profit} signed />],
        ]}
      />
      {group !== 2 && <LevelLink profile={profile} />}
      {group === 2 && <p className={styles.visitor}>{t("visitorText")}</p>}
      <div className={styles.buttons}>
        {group === 2 ? (
          <Button variant="gold" onClick={() => navigate("/register")}>
            {t("registerNow")}
          </Button>
        ) : (
          <Button variant="gold" onClick={() => navigate(`/Recharge?group_id=${group}`)}>
            {t("deposit")}
          </Button>
        )}
        <Button onClick={() => navigate(`/Withdraw?group_id=${group}`)}>{t("withdraw")}</Button>
      </div>
    </Card>
  );
}

/** Links a member to what a first withdrawal requires, until it is complete. */
function CompleteCard({ profile }: { profile: Profile | undefined }) {
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

/** The player's level and bonus, linking to what both still require. */
function LevelLink({ profile }: { profile: Profile | undefined }) {
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
