import { useTranslations } from "use-intl";
import { Icon } from "../../components/Icon.tsx";
import { Page, TopBar } from "../../components/Page.tsx";
import { toast } from "../../components/toast.ts";
import { LOCALES, TAGS } from "../../i18n/locale.ts";
import { answers } from "../../lib/network.ts";
import { changeSettings, type LocaleChoice, useSettings } from "../../lib/settings.ts";
import styles from "./Settings.module.css";

/** Each language under its own name, readable to whoever seeks it. */
const NAMES = {
  en: "English",
  zh: "简体中文",
  tw: "繁體中文",
  vi: "Tiếng Việt",
  ru: "Русский",
  my: "Bahasa Melayu",
  ja: "日本語",
  ko: "한국어",
} as const;

/** Nine choices; choosing stores the choice and reloads. */
export default function LanguagePage() {
  const t = useTranslations("account");
  const common = useTranslations("common");
  const current = useSettings((settings) => settings.locale);
  const choices: LocaleChoice[] = ["system", ...LOCALES];
  const choose = async (locale: LocaleChoice) => {
    if (!(await answers())) {
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
              lang={locale === "system" ? undefined : TAGS[locale]}
            >
              {locale === "system" ? t("followSystem") : NAMES[locale]}
              {locale === current && <Icon name="check" size={20} />}
            </button>
          </li>
        ))}
      </ul>
    </Page>
  );
}
