import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/queries.ts";
import type { Profile } from "../../api/types.ts";
import OwnAvatar from "../../components/Avatar.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Page } from "../../components/Page.tsx";
import { TopBar } from "../../components/TopBar.tsx";
import { isGuest, useSession } from "../../lib/session.ts";
import { IdCardForm } from "./IdCardForm.tsx";
import { PictureSheet } from "./PictureSheet.tsx";
import styles from "./Profile.module.css";

const PICTURE_PX = 96;

export default function BaseInfoPage() {
  const t = useTranslations("profile.base");
  const profile = useProfile().data;
  const guest = useSession(isGuest);
  const [choosing, setChoosing] = useState(false);
  const mayStore = profile !== undefined && profile.idcard === null;
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      <button type="button" className={styles.picture} onClick={() => setChoosing(true)}>
        <OwnAvatar size={PICTURE_PX} />
        <span>{t("changePicture")}</span>
      </button>
      <Card>
        <Facts profile={profile} />
      </Card>
      {mayStore && !guest && <IdCardForm />}
      {guest && <MustRegister />}
      <PictureSheet open={choosing} onClose={() => setChoosing(false)} />
    </Page>
  );
}

/** What is given once and then only read; the address knows the name before the house tells it. */
function Facts({ profile }: { profile: Profile | undefined }) {
  const t = useTranslations("profile.base");
  const [query] = useSearchParams();
  const known = useSession((session) => session.username);
  const stored = profile?.idcard;
  return (
    <dl className={styles.facts}>
      <dt>{t("account")}</dt>
      <dd>{profile?.username ?? (known || query.get("name"))}</dd>
      <dt>{t("nickname")}</dt>
      <dd>{profile?.nickname ?? "—"}</dd>
      {stored && (
        <>
          <dt>{t("idcard")}</dt>
          <dd>{stored}</dd>
        </>
      )}
    </dl>
  );
}

function MustRegister() {
  const t = useTranslations("profile.base");
  const navigate = useNavigate();
  return (
    <>
      <p className={styles.note}>{t("guest")}</p>
      <Button variant="gold" full onClick={() => navigate("/register")}>
        {t("register")}
      </Button>
    </>
  );
}
