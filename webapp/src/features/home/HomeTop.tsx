import { Suspense, useState } from "react";
import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { Icon } from "../../components/Icon.tsx";
import { Sheet } from "../../components/Sheet.tsx";
import { loadLaterTexts } from "../../i18n/texts.ts";
import { later } from "../../lib/later.ts";
import { useSession } from "../../lib/session.ts";
import styles from "./HomeTop.module.css";

/** The lines, with their words: those come later than what home says itself. */
const LineChoice = later(async () => {
  const chunk = import("../../components/LineChoice.tsx");
  const [{ LineChoice }] = await Promise.all([chunk, loadLaterTexts()]);
  return { default: LineChoice };
});

/** Brand, line selector, language. */
export function HomeTop() {
  const t = useTranslations("home");
  const common = useTranslations("common");
  const line = useSession((session) => session.activeList);
  const [choosing, setChoosing] = useState(false);
  return (
    <>
      <header className={styles.top}>
        <h1 className={styles.brand}>
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="30" height="30" />
          {common("brand")}
        </h1>
        <button type="button" className={styles.line} onClick={() => setChoosing(true)}>
          {common("line", { number: String(line + 1) })}
          <Icon name="down" size={14} />
        </button>
        <Link to="/language" className={styles.language} aria-label={t("language")}>
          <Icon name="globe" />
        </Link>
      </header>
      <Sheet open={choosing} onClose={() => setChoosing(false)} title={t("lines")}>
        <Suspense fallback={null}>
          <LineChoice onChosen={() => setChoosing(false)} />
        </Suspense>
      </Sheet>
    </>
  );
}
