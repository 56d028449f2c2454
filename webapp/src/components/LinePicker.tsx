import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { chooseLine, LINES, useLineAddress, useLinesDiffer } from "../lib/lines.ts";
import { useSession } from "../lib/session.ts";
import type { Line } from "../lib/settings.ts";
import { Button } from "./Button.tsx";
import { LINE_LATENCIES, LineLatency } from "./LineLatency.tsx";
import styles from "./LinePicker.module.css";
import { toast } from "./Toaster.tsx";

const BEST = 1;

/**
 * Both lines with their latencies, the current one marked. A choice shows a toast and calls back.
 */
export function LinePicker({ onChosen }: { onChosen: () => void }) {
  const t = useTranslations("account");
  const choose = (line: Line) => {
    chooseLine(line);
    toast(t("lineSwitched", { number: line + 1 }), "good");
    onChosen();
  };
  return (
    <>
      <ul className={styles.lines}>
        {LINES.map((line) => (
          <LineRow key={line} line={line} onChoose={() => choose(line)} />
        ))}
      </ul>
      <CheckAgain />
    </>
  );
}

function LineRow({ line, onChoose }: { line: Line; onChoose: () => void }) {
  const t = useTranslations("account");
  const common = useTranslations("common");
  const isCurrent = useSession((session) => session.activeList) === line;
  const { host } = new URL(useLineAddress(line) || location.origin);
  const differ = useLinesDiffer();
  return (
    <li aria-current={isCurrent}>
      <div>
        <span className={styles.name}>
          {common("line", { number: String(line + 1) })}
          {line === BEST && <em>{t("lineBest")}</em>}
          {isCurrent && <em className={styles.current}>{t("lineCurrent")}</em>}
        </span>
        {differ && <small className={styles.host}>{host}</small>}
        <span role="status">
          <LineLatency line={line} />
        </span>
      </div>
      <Button onClick={onChoose}>{t("lineUse")}</Button>
    </li>
  );
}

function CheckAgain() {
  const t = useTranslations("account");
  const queries = useQueryClient();
  const checking = useIsFetching({ queryKey: [LINE_LATENCIES] }) > 0;
  return (
    <Button
      variant="ghost"
      full
      busy={checking}
      onClick={() => queries.invalidateQueries({ queryKey: [LINE_LATENCIES] })}
    >
      {t("lineCheck")}
    </Button>
  );
}
