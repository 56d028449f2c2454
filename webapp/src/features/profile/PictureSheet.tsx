import type { ChangeEvent } from "react";
import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { Icon, type IconName } from "../../components/Icon.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { toast } from "../../components/Toaster.tsx";
import { deletePhoto, savePhoto, usePhoto } from "../../lib/avatarPhoto.ts";
import styles from "./Profile.module.css";

interface PictureSheetProps {
  open: boolean;
  onClose: () => void;
}

/** Three ways to another picture. A photo is never sent: it stays on the device. */
export function PictureSheet({ open, onClose }: PictureSheetProps) {
  const t = useTranslations("profile.picture");
  const navigate = useNavigate();
  const photo = usePhoto();
  const remove = () => {
    deletePhoto();
    onClose();
  };
  return (
    <Sheet open={open} onClose={onClose} title={t("title")}>
      <ul className={styles.ways}>
        <li>
          <FileWay icon="picture" label={t("album")} onDone={onClose} />
        </li>
        <li>
          <FileWay icon="camera" label={t("camera")} capture="user" onDone={onClose} />
        </li>
        <li>
          <ButtonWay icon="person" label={t("system")} onPress={() => navigate("/defaultAvatar")} />
        </li>
        {photo !== undefined && (
          <li>
            <ButtonWay icon="trash" label={t("remove")} onPress={remove} />
          </li>
        )}
      </ul>
      <p className={styles.note}>{t("note")}</p>
    </Sheet>
  );
}

interface WayProps {
  icon: IconName;
  label: string;
}

function ButtonWay({ icon, label, onPress }: WayProps & { onPress: () => void }) {
  return (
    <button type="button" className={styles.way} onClick={onPress}>
      <Icon name={icon} size={22} />
      {label}
    </button>
  );
}

function FileWay({
  icon,
  label,
  capture,
  onDone,
}: WayProps & { capture?: "user"; onDone: () => void }) {
  const t = useTranslations("profile.picture");
  const take = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (file === undefined) return;
    savePhoto(file).then(
      () => {
        toast(t("kept"), "good");
        onDone();
      },
      () => toast(t("unreadable"), "bad"),
    );
    // The same file may be chosen again.
    event.target.value = "";
  };
  return (
    <label className={styles.way}>
      <Icon name={icon} size={22} />
      {label}
      <input
        type="file"
        accept="image/*"
        capture={capture}
        className="visually-hidden"
        onChange={take}
      />
    </label>
  );
}
