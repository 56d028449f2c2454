import { useTranslations } from "use-intl";
import { IconButton } from "../../../components/Button.tsx";
import { useFailureText } from "../../../i18n/failure.ts";
import { useKindText } from "../../../i18n/kinds.ts";
import { oddsText } from "../model/units.ts";
import { type Accepted, acceptedMinor, type Refused, type Report } from "../placing.ts";
import { useFigures } from "../words.ts";
import styles from "./ReportView.module.css";

/** What became of a press: how much was accepted, and each bet that was not, with the reason. */
export function ReportView({ report, onDone }: { report: Report; onDone: () => void }) {
  const t = useTranslations("room.report");
  const common = useTranslations("common");
  const figures = useFigures();
  const { accepted, refused } = report;
  const unsure = refused.filter((bet) => bet.undecided);
  const amount = figures.units(acceptedMinor(report) / 100);
  const total = String(accepted.length + refused.length);
  const nothing = unsure.length === refused.length ? t("nothingSure") : t("none");
  return (
    <section className={styles.report} role="alert" data-testid="buy-report">
      <header>
        <h3>
          {accepted.length === 0
            ? nothing
            : t("some", { accepted: String(accepted.length), total, amount })}
        </h3>
        <IconButton icon="close" label={common("close")} onClick={onDone} />
      </header>
      <ul>
        {accepted.map((bet) => (
          <AcceptedLine key={bet.kind} bet={bet} />
        ))}
        {refused.map((bet) => (
          <RefusedLine key={bet.kind} bet={bet} />
        ))}
      </ul>
      <p>{unsure.length > 0 ? t("unsure") : t("kept")}</p>
    </section>
  );
}

function AcceptedLine({ bet }: { bet: Accepted }) {
  const t = useTranslations("room.report");
  const kind = useKindText()(bet.kind);
  const figures = useFigures();
  const amount = figures.units(bet.stakeMinor / 100);
  return (
    <li data-accepted="true">
      <b>{t("acceptedList")}</b>
      <span>{t("line", { kind, amount, odds: oddsText(bet.oddsMilli) })}</span>
    </li>
  );
}

function RefusedLine({ bet }: { bet: Refused }) {
  const t = useTranslations("room.report");
  const kind = useKindText()(bet.kind);
  const failure = useFailureText();
  return (
    <li data-accepted="false">
      <b>{t(bet.undecided ? "unsureList" : "refusedList")}</b>
      <span>
        {kind} · {failure(bet.error)}
      </span>
    </li>
  );
}
