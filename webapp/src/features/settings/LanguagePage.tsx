import { useTranslations } from "use-intl";
import { Icon } from "../../components/Icon.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { toast } from "../../components/Toaster.tsx";
import { LANGUAGES, LOCALES, type LocaleChoice } from "../../lib/locales.ts";
import { isServerReachable } from "../../lib/network.ts";
import { changeSettings, useSettings } from "../../lib/settings.ts";
import styles from "./Settings.module.css";

/** The phone's language and all others, each under its own name; a choice reloads the app. */
export default function LanguagePage() {
  const t = useTranslations("account");
  const common = useTranslations("common");
  const current = useSettings((settings) => settings.locale);
  const choices: LocaleChoice[] = ["system", ...LOCALES];
  const choose = async (locale: LocaleChoice) => {
    if (!(await isServerReachable())) {
      toast(common("noNetwork"), "bad");
      return;
    }
    changeSettings({ locale });
    location.reload();
  };
  return (
    <Page top={<TopBar title={t("language")} />} className={styles.settings}>
      <ul className={styles.choices}>
        {choices.map((locale) => (
          <li key={locale}>
            <button
              type="button"
              aria-pressed={locale === current}
              onClick={() => choose(locale)}
              lang={locale === "system" ? undefined : LANGUAGES[locale].tag}
            >
              {locale === "system" ? t("followSystem") : LANGUAGES[locale].name}
              {locale === current && <Icon name="check" size={20} />}
            </button>
          </li>
        ))}
      </ul>
    </Page>
  );
}
