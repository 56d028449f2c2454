import { Link, useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/commonQueries.ts";
import { Amount, PlayMoney } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Page.tsx";
import { useSession } from "../../lib/session.ts";
import styles from "./BalanceBox.module.css";

export function BalanceBox({ demo }: { demo: boolean | undefined }) {
  const signedIn = useSession((session) => session.token !== "");
  return <Card className={styles.box}>{signedIn ? <Member demo={demo} /> : <Guest />}</Card>;
}

function Guest() {
  const t = useTranslations("home");
  const navigate = useNavigate();
  return (
    <>
      <div>
        <h2 className={styles.prompt}>{t("guestPrompt")}</h2>
        <p className={styles.label}>{t("guestText")}</p>
      </div>
      <div className={styles.buttons}>
        <Button variant="gold" onClick={() => navigate("/login")}>
          {t("logIn")}
        </Button>
        <Button onClick={() => navigate("/register")}>{t("register")}</Button>
      </div>
    </>
  );
}

function Member({ demo }: { demo: boolean | undefined }) {
  const t = useTranslations("home");
  const money = useSession((session) => session.money);
  const profile = useProfile().data;
  return (
    <div className={styles.member}>
      <Link to="/personal" className={styles.main}>
        <span className={styles.label}>
          {t("balance")} <PlayMoney show={demo} />
        </span>
        <Amount value={money} className={styles.money} />
      </Link>
      <dl className={styles.side}>
        <div>
          <dt>{t("totalAssets")}</dt>
          <dd>
            <Amount value={profile?.total_assets} />
          </dd>
        </div>
        <div>
          <dt>{t("today")}</dt>
          <dd>
            <Amount value={profile?.today_profit} signed />
          </dd>
        </div>
      </dl>
    </div>
  );
}
