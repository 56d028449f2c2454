import { useState } from "react";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/commonQueries.ts";
import { AVATARS, Avatar } from "../../components/Avatar.tsx";
import { Button } from "../../components/Button.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import { deletePhoto } from "../../lib/avatarPhoto.ts";
import { useBack } from "../../lib/useBack.ts";
import styles from "./AvatarPage.module.css";
import { useStoreProfile } from "./useSaveProfile.ts";

const PICTURE_PX = 84;

export default function AvatarPage() {
  const t = useTranslations("profile.avatars");
  const stored = useProfile().data?.avatar;
  const [chosen, setChosen] = useState<number>();
  const number = chosen ?? stored;
  const { busy, confirm } = useConfirm();
  return (
    <Page
      top={<TopBar title={t("title")} />}
      bottom={
        <div className={styles.foot}>
          <Button
            variant="gold"
            full
            busy={busy}
            disabled={number === undefined}
            onClick={() => number !== undefined && confirm(number)}
          >
            {t("confirm")}
          </Button>
        </div>
      }
    >
      <fieldset className={styles.grid}>
        <legend className="visually-hidden">{t("title")}</legend>
        {AVATARS.map((avatar) => (
          <label key={avatar.number} className={styles.choice}>
            <input
              type="radio"
              name="avatar"
              className="visually-hidden"
              checked={avatar.number === number}
              onChange={() => setChosen(avatar.number)}
            />
            <Avatar number={avatar.number} size={PICTURE_PX} />
            {t(avatar.name)}
            <span className={styles.mark}>
              <Icon name="check" size={16} />
            </span>
          </label>
        ))}
      </fieldset>
    </Page>
  );
}

/** Stores the choice, which takes the place of a photo on this device; then the page goes back. */
function useConfirm() {
  const t = useTranslations("profile.avatars");
  const fail = useErrorToast();
  const store = useStoreProfile();
  const back = useBack();
  const [busy, setBusy] = useState(false);
  const confirm = async (number: number) => {
    setBusy(true);
    try {
      await store({ avatar: number });
      deletePhoto();
      toast(t("set"), "good");
      back();
    } catch (error) {
      fail(error);
      setBusy(false);
    }
  };
  return { busy, confirm };
}
