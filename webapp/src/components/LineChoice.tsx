import { useTranslations } from "use-intl";
import { useSession } from "../lib/session.ts";
import { Button } from "./Button.tsx";
import styles from "./LineChoice.module.css";
import { toast } from "./toast.ts";

const LINES = [0, 1] as const;
const BEST = 1;

/** Line 1 and line 2, the current one marked; choosing says so and calls back. */
export function LineChoice({ onChosen }: { onChosen: () => void }) {
  const t = useTranslations("account");
  const common = useTranslations("common");
  const current = useSession((session) => session.activeList);
  const choose = (line: 0 | 1) => {
    useSession.setState({ activeList: line });
    toast(t("lineSwitched", { number: line + 1 }), "good");
    onChosen();
  };
  return (
    <ul className={styles.lines}>
      {LINES.map((line) => (
        <li key={line}>
          <span>
            {common("line", { number: String(line + 1) })}
            {line === BEST && <em>{t("lineBest")}</em>}
            {line === current && <em>{t("lineCurrent")}</em>}
          </span>
          <Button onClick={() => choose(line)}>{t("lineUse")}</Button>
        </li>
      ))}
    </ul>
  );
}
