import { QRCodeSVG } from "qrcode.react";
import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { copyText } from "../../components/CopyButton.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { EmptyState } from "../../components/Placeholder.tsx";
import { toast } from "../../components/Toaster.tsx";
import { isGuest, useSession } from "../../lib/session.ts";
import styles from "./SharePage.module.css";

const QR_PX = 200;

export default function SharePage() {
  const t = useTranslations("profile.share");
  const navigate = useNavigate();
  const guest = useSession(isGuest);
  return (
    <Page top={<TopBar title={t("title")} />} className={styles.page}>
      {guest ? (
        <EmptyState
          icon="lock"
          text={t("guest")}
          action={t("register")}
          onAction={() => navigate("/register")}
        />
      ) : (
        <Invitation />
      )}
    </Page>
  );
}

function Invitation() {
  const t = useTranslations("profile.share");
  const profile = useTranslations("profile");
  const userId = useSession((session) => session.userId);
  const link = inviteLink(location.origin, import.meta.env.BASE_URL, userId);
  const copy = async () => {
    if (await copyText(link)) toast(t("copied"), "good");
    else toast(profile("copyFailed"), "bad");
  };
  return (
    <>
      <p>{t("text")}</p>
      <div className={styles.code}>
        <QRCodeSVG value={link} size={QR_PX} level="M" title={t("code")} />
      </div>
      <p className={styles.incode}>
        {t("incode")} <b>{userId}</b>
      </p>
      <p className={styles.link}>{link}</p>
      <Button variant="gold" full onClick={copy}>
        {t("copy")}
      </Button>
      {typeof navigator.share === "function" && (
        <Button full onClick={() => share(link)}>
          {t("send")}
        </Button>
      )}
      <p className={styles.note}>{t("adults")}</p>
    </>
  );
}

/** Opens the phone's share sheet; closing it is not an error. */
function share(link: string): void {
  navigator.share({ title: "Fairdraw", url: link }).catch(() => undefined);
}

/** The register page's address with the inviter's id, on the host that the app was loaded from. */
export function inviteLink(origin: string, base: string, userId: string): string {
  const query = new URLSearchParams({ inviter_id: userId });
  return new URL(`${base}register?${query}`, origin).href;
}
