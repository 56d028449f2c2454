import { type FormEvent, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/commonQueries.ts";
import type { Profile } from "../../api/types.ts";
import OwnAvatar from "../../components/Avatar.tsx";
import { Button } from "../../components/Button.tsx";
import { Field, useFocusFirstError } from "../../components/Field.tsx";
import { Card, Page, TopBar } from "../../components/Page.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorText } from "../../components/useErrorText.ts";
import { isGuest, useSession } from "../../lib/session.ts";
import { PictureSheet } from "./PictureSheet.tsx";
import styles from "./Profile.module.css";
import { useStoreProfile } from "./useSaveProfile.ts";

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

/**
 * Base info, which is set once and then read-only; the address contains the name before the profile
 * is loaded.
 */
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

const LONGEST = 40;

/** Shown only until a number is stored, which cannot be changed. */
function IdCardForm() {
  const t = useTranslations("profile.base");
  const failure = useErrorText();
  const store = useStoreProfile();
  const [ref, showProblem] = useFocusFirstError();
  const [idcard, setIdcard] = useState("");
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const complain = (text: string) => {
    setProblem(text);
    setBusy(false);
    showProblem();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (idcard.trim() === "") return complain(t("needIdcard"));
    setBusy(true);
    store({ idcard: idcard.trim() }).then(
      (words) => toast(words, "good"),
      (error) => {
        toast(failure(error), "bad");
        complain(failure(error));
      },
    );
  };
  return (
    <form ref={ref} className={styles.form} onSubmit={submit} noValidate>
      <Field
        label={t("idcard")}
        placeholder={t("idcardPlaceholder")}
        hint={t("idcardHint")}
        error={problem}
        name="idcard"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={LONGEST}
        value={idcard}
        onChange={(event) => {
          setIdcard(event.target.value);
          setProblem(undefined);
        }}
      />
      <Button type="submit" variant="gold" full busy={busy}>
        {t("save")}
      </Button>
    </form>
  );
}
