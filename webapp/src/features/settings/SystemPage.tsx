import { useTranslations } from "use-intl";
import { Switch } from "../../components/Field.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { changeSettings, useSettings } from "../../lib/settings.ts";
import styles from "./Settings.module.css";

const SAMPLE_MS = 80;

/** Switches for the vibration and the sound of a win. Both are off by default. */
export default function SystemPage() {
  const account = useTranslations("account");
  const t = useTranslations("profile.system");
  const { vibration, sound } = useSettings();
  const vibrates = typeof navigator.vibrate === "function";
  const switchVibration = (on: boolean) => {
    changeSettings({ vibration: on });
    if (on) navigator.vibrate(SAMPLE_MS);
  };
  return (
    <Page top={<TopBar title={account("system")} />} className={styles.settings}>
      <div className={styles.switches}>
        <Switch
          label={t("vibration")}
          note={vibrates ? t("vibrationNote") : t("noVibration")}
          checked={vibration && vibrates}
          disabled={!vibrates}
          onChange={(event) => switchVibration(event.target.checked)}
        />
        <Switch
          label={t("sound")}
          note={t("soundNote")}
          checked={sound}
          onChange={(event) => changeSettings({ sound: event.target.checked })}
        />
      </div>
    </Page>
  );
}
