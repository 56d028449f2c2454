import { useTranslations } from "use-intl";
import { IconButton } from "../../../components/Button.tsx";
import { useErrorText } from "../../../components/useErrorText.ts";
import { useBetText } from "../../../i18n/names.ts";
import { useFormatters } from "../useFormatters.ts";
import styles from "./PlacementReportView.module.css";
import { type Accepted, acceptedMinor, type PlacementReport, type Refused } from "./placeBets.ts";

/** The result of a press: the accepted amount, and each refused bet with its reason. */
export function PlacementReportView({
  report,
  onDone,
}: {
  report: PlacementReport;
  onDone: () => void;
}) {
  const t = useTranslations("room.report");
  const common = useTranslations("common");
  const title = useReportTitle()(report);
  const { accepted, refused } = report;
  const unsure = refused.some((bet) => bet.undecided);
  const earlier = accepted.some((bet) => bet.issue !== report.issue);
  return (
    <section className={styles.report} role="alert" data-testid="buy-report">
      <header>
        <h3>{title}</h3>
        <IconButton icon="close" label={common("close")} onClick={onDone} />
      </header>
      <ul>
        {accepted.map((bet) => (
          <AcceptedLine key={bet.kind} bet={bet} issue={report.issue} />
        ))}
        {refused.map((bet) => (
          <RefusedLine key={bet.kind} bet={bet} />
        ))}
      </ul>
      {earlier && <p>{t("earlier")}</p>}
      {refused.length > 0 && <p>{unsure ? t("unsure") : t("kept")}</p>}
    </section>
  );
}

function AcceptedLine({ bet, issue }: { bet: Accepted; issue: string }) {
  const t = useTranslations("room.report");
  const room = useTranslations("room");
  const kind = useBetText()(bet.kind);
  const figures = useFormatters();
  const amount = figures.units(bet.stakeMinor / 100);
  return (
    <li data-accepted="true">
      <b>{t("acceptedList")}</b>
      <span>
        {t("line", { kind, amount, odds: figures.odds(bet.oddsMilli) })}
        {bet.issue !== issue && <small>{room("round", { issue: bet.issue })}</small>}
      </span>
    </li>
  );
}

function RefusedLine({ bet }: { bet: Refused }) {
  const t = useTranslations("room.report");
  const kind = useBetText()(bet.kind);
  const failure = useErrorText();
  return (
    <li data-accepted="false">
      <b>{t(bet.undecided ? "unsureList" : "refusedList")}</b>
      <span>
        {kind} · {failure(bet.error)}
      </span>
    </li>
  );
}

/** One sentence about a press of which not every bet was accepted. */
export function useReportTitle(): (report: PlacementReport) => string {
  const t = useTranslations("room.report");
  const figures = useFormatters();
  return (report) => {
    const { accepted, refused } = report;
    if (accepted.length === 0) {
      return t(refused.every((bet) => bet.undecided) ? "nothingSure" : "none");
    }
    const total = String(accepted.length + refused.length);
    const amount = figures.units(acceptedMinor(report) / 100);
    return t("some", { accepted: String(accepted.length), total, amount });
  };
}
