import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { Button } from "../../components/Button.tsx";
import { useSentenceGap } from "../../i18n/sentences.ts";
import { formatTime } from "../../lib/dates.ts";
import { otherLine } from "../../lib/lines.ts";
import { useSession } from "../../lib/session.ts";
import type { Line } from "../../lib/settings.ts";
import { ComparePhones } from "./ComparePhones.tsx";
import styles from "./LogCheck.module.css";
import { LogConflict } from "./LogConflict.tsx";
import type { CheckedLog } from "./log/checkLog.ts";
import { forget, type Kept, PHONE } from "./log/keptCheckpoints.ts";
import type { FollowedLog } from "./log/useLog.ts";
import { Mark, Values } from "./StepItem.tsx";

interface LogCheckProps {
  log: FollowedLog;
  /** Of the house, in hex. */
  operatorKey: string;
}

/** Whether the house signed its log, and whether that log continues what this phone saw. */
export function LogCheck({ log, operatorKey }: LogCheckProps) {
  const t = useTranslations("fairness");
  const checks = useTranslations("checks");
  const { checked, again } = log;
  const words = useLogWords(log);
  const gap = useSentenceGap();
  const verdict = logVerdict(checked);
  return (
    <section className={styles.log} data-verdict={verdict} data-testid="log">
      <Mark verdict={verdict} />
      <div>
        <h3>{t("log.title")}</h3>
        <p className={verdict === "wrong" ? styles.wrong : undefined}>
          <span className="visually-hidden">{t(`marks.${verdict}`)} </span>
          {words.join(gap)}
        </p>
        {checked?.kept && verdict === "wrong" && (
          <Fork checked={checked} kept={checked.kept} operatorKey={operatorKey} again={again} />
        )}
        {checked?.state === "split" && <Split checked={checked} operatorKey={operatorKey} />}
        {checked && <Values values={[["checkpoint", checked.note]]} />}
        {checked && verdict === "right" && (
          <ComparePhones note={checked.note} operatorKey={operatorKey} />
        )}
        <Link to="/fairness" className={styles.link}>
          {checks("title")}
        </Link>
      </div>
    </section>
  );
}

/** Of the log itself, apart from the bets in it. */
function logVerdict(checked: CheckedLog | null) {
  if (checked === null) return "later";
  return checked.state === "first" || checked.state === "continues" ? "right" : "wrong";
}

function useLogWords({ checked, isUnanswered }: FollowedLog): string[] {
  const t = useTranslations("fairness.log");
  const line = useSession((session) => otherLine(session.activeList));
  if (checked === null) return [t(isUnanswered ? "unanswered" : "checking")];
  const { state, size, kept, isCosigned, other } = checked;
  const time = formatTime(kept?.at ?? 0);
  const cosigned = isCosigned ? [t("cosigned")] : [];
  const compared = other ? [t(`lines.${other.state}`, { line: numberOf(line) })] : [];
  switch (state) {
    case "first":
      return [t("first", { size }), ...cosigned, ...compared];
    case "continues":
      return [t("continues", { size, time }), ...cosigned, ...compared];
    case "unsigned":
      return other ? compared : [t("unsigned")];
    case "split":
      return compared;
    case "fork":
      return [t("fork", { time })];
    case "otherKey":
      return [t("otherKey", { time })];
  }
}

/** As the app shows it: 1 or 2. */
const numberOf = (line: Line) => String(line + 1);

/** The checkpoints of both lines, which are not of one log. */
function Split({ checked, operatorKey }: { checked: CheckedLog; operatorKey: string }) {
  const t = useTranslations("fairness.log");
  const line = useSession((session) => session.activeList);
  const other = otherLine(line);
  const seen = [
    { title: t("lines.shown", { line: numberOf(line) }), note: checked.note },
    { title: t("lines.shown", { line: numberOf(other) }), note: checked.other?.note ?? "" },
  ];
  return <LogConflict seen={seen} operatorKey={operatorKey} />;
}

interface ForkProps {
  checked: CheckedLog;
  kept: Kept;
  operatorKey: string;
  again: () => void;
}

function Fork({ checked, kept, operatorKey, again }: ForkProps) {
  const t = useTranslations("fairness.log");
  const seen = [
    { title: t("kept"), note: kept.checkpoint.text },
    { title: t("shown"), note: checked.note },
  ];
  const startOver = () => {
    forget(PHONE);
    again();
  };
  return (
    <LogConflict seen={seen} operatorKey={operatorKey}>
      <Button variant="ghost" onClick={startOver}>
        {t("forget")}
      </Button>
    </LogConflict>
  );
}
