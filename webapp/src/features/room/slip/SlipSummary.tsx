import { useId } from "react";
import { useTranslations } from "use-intl";
import type { OddsList } from "../../../api/types.ts";
import { Button } from "../../../components/Button.tsx";
import { useBetText } from "../../../i18n/names.ts";
import type { BetKind } from "../../../lib/betKinds.ts";
import { minorFromUnits, minorFromWire, wholeUnits } from "../../../lib/minorUnits.ts";
import { isGuest, useSession } from "../../../lib/session.ts";
import type { MaybeAmount } from "../draw/useDrawAnimation.ts";
import { takesBets } from "../phase.ts";
import { useFormatters } from "../useFormatters.ts";
import { usePhase } from "../useRoomClock.ts";
import { GuestNotice, RetryNotice } from "./BetNotices.tsx";
import {
  type BestAndWorst,
  bestAndWorst,
  quickAmounts,
  type StakeProblem,
  stakeProblem,
} from "./betSlip.ts";
import { PlacementReportView } from "./PlacementReportView.tsx";
import type { PlacementReport } from "./placeBets.ts";
import styles from "./SlipSummary.module.css";
import { acceptOdds, setStake, useSlip } from "./slipStore.ts";
import { type Funds, spendableMinor, useFunds } from "./useFunds.ts";
import type { PlaceBets } from "./usePlaceBets.ts";
import { type OddsChange, oddsChanges, oddsTable } from "./useRoundOdds.ts";

interface SlipSummaryProps {
  odds: OddsList | undefined;
  buying: PlaceBets;
  minimumUnits: number;
  /** The balance in u; delayed while a draw is animated. */
  money: MaybeAmount;
}

function useBestAndWorst(): BestAndWorst {
  const selected = useSlip((slip) => slip.selected);
  const units = wholeUnits(useSlip((slip) => slip.stake)) ?? 0;
  const stakeMinor = minorFromUnits(units);
  return bestAndWorst([...selected].map(([kind, oddsMilli]) => ({ kind, oddsMilli, stakeMinor })));
}

/** The slip: stake, cost, best and worst result, and the buy button. */
export function SlipSummary({ odds, buying, minimumUnits, money }: SlipSummaryProps) {
  const selected = useSlip((slip) => slip.selected);
  const stake = useSlip((slip) => slip.stake);
  const visitor = useSession(isGuest);
  const funds = useFunds();
  const limits = { minimumUnits, spendableMinor: spendableMinor(funds), bets: selected.size };
  const problem = stakeProblem(stake, limits);
  const changes = odds ? oddsChanges(selected, oddsTable(odds)) : [];
  const untouched = selected.size === 0 || (stake === "" && problem === "empty");
  const shownProblem = visitor || untouched ? null : problem;
  return (
    <div className={styles.foot} data-foot="slip">
      {buying.report && <PlacementReportView report={buying.report} onDone={buying.dismiss} />}
      <RetryNotice attempt={buying.attempt} onCancel={buying.cancel} />
      {changes.length > 0 && odds && <Changed changes={changes} odds={odds} />}
      <StakeRow funds={funds} minimumUnits={minimumUnits} problem={shownProblem} />
      <SlipFigures money={money} bets={selected.size} />
      {visitor ? (
        <GuestNotice />
      ) : (
        <Submit buying={buying} blocked={problem !== null || changes.length > 0} />
      )}
    </div>
  );
}

function SlipFigures({ money, bets }: { money: MaybeAmount; bets: number }) {
  const t = useTranslations("room.slip");
  const common = useTranslations("common");
  const figures = useFormatters();
  const { costMinor, bestMinor, worstMinor } = useBestAndWorst();
  const known = money !== null && money !== undefined;
  const balance = known ? figures.money(minorFromWire(money)) : common("none");
  const entries = [
    ["cost", t("cost", { count: bets }), figures.money(costMinor)],
    ["best", t("best"), figures.signed(bestMinor)],
    ["worst", t("worst"), figures.signed(worstMinor)],
    ["after", t("after"), balance],
  ] as const;
  return (
    <dl className={styles.figures}>
      {entries.map(([id, label, value]) => (
        <div key={id} data-testid={`slip-${id}`}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Not disabled while the round is closed: a press then shows the reason. */
function Submit({ buying, blocked }: { buying: PlaceBets; blocked: boolean }) {
  const t = useTranslations("room");
  const figures = useFormatters();
  const open = takesBets(usePhase());
  const bets = useSlip((slip) => slip.selected.size);
  const again = useSlip(({ selected }) => isRepeated(buying.report, selected));
  const { costMinor } = useBestAndWorst();
  const sending = buying.attempt > 0;
  const amount = figures.units(costMinor / 100);
  const offer = again ? t("slip.again", { amount }) : t("slip.submit", { amount });
  const cost = costMinor === 0 ? t("slip.stakeFirst") : offer;
  const label = bets === 0 ? t("slip.pick") : cost;
  return (
    <Button
      variant="gold"
      full
      busy={sending}
      disabled={open && blocked}
      className={open ? undefined : styles.shut}
      onClick={buying.buy}
      data-testid="buy-submit"
    >
      {sending ? t("slip.sending") : open ? label : buying.closedText()}
    </Button>
  );
}

/** Whether the slip is what was left of the last press. */
function isRepeated(
  report: PlacementReport | null,
  selected: ReadonlyMap<BetKind, number>,
): boolean {
  const refused = report?.refused ?? [];
  return refused.length === selected.size && refused.every(({ kind }) => selected.has(kind));
}

function Changed({ changes, odds }: { changes: readonly OddsChange[]; odds: OddsList }) {
  const t = useTranslations("room.slip");
  const figures = useFormatters();
  const kindText = useBetText();
  return (
    <div className={styles.changed} role="alert" data-testid="odds-changed">
      <div>
        <b>{t("changedTitle")}</b>
        {changes.map(({ kind, wasMilli, isMilli }) => (
          <p key={kind}>
            {isMilli === 0
              ? t("gone", { kind: kindText(kind) })
              : t("changed", {
                  kind: kindText(kind),
                  was: figures.odds(wasMilli),
                  now: figures.odds(isMilli),
                })}
          </p>
        ))}
      </div>
      <Button onClick={() => acceptOdds(oddsTable(odds))} data-testid="accept-odds">
        {t("acceptOdds")}
      </Button>
    </div>
  );
}

const EMPTY: Funds = { balanceMinor: 0, bonusMinor: 0 };

interface StakeRowProps {
  funds: Funds | null;
  minimumUnits: number;
  /** Shown once the player has something to correct; an empty slip is not an error. */
  problem: StakeProblem | null;
}

/** The quick amounts and the amount itself, each the stake of every bet selected. */
function StakeRow({ funds, minimumUnits, problem }: StakeRowProps) {
  const t = useTranslations("room.slip");
  const figures = useFormatters();
  const id = useId();
  const stake = useSlip((slip) => slip.stake);
  const minimum = figures.units(minimumUnits);
  return (
    <div className={styles.stake}>
      <QuickRow funds={funds ?? EMPTY} />
      <div className={styles.field}>
        <label htmlFor={id}>{t("stake")}</label>
        <input
          id={id}
          className={styles.input}
          inputMode="numeric"
          pattern="[0-9]*"
          autoComplete="off"
          maxLength={9}
          value={stake}
          placeholder={t("from", { amount: minimum })}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-note`}
          onChange={(change) => setStake(change.target.value)}
          onFocus={(focus) => focus.target.select()}
          data-testid="stake-input"
        />
        <span aria-hidden="true">{t("stakeUnit")}</span>
        <span id={`${id}-note`} className={styles.problem}>
          {problem !== null && t(`problem.${problem}`, { minimum })}
        </span>
      </div>
    </div>
  );
}

function QuickRow({ funds }: { funds: Funds }) {
  const t = useTranslations("room.slip");
  const figures = useFormatters();
  const stake = useSlip((slip) => slip.stake);
  return (
    <fieldset className={styles.quick}>
      <legend className="visually-hidden">{t("quick")}</legend>
      {quickAmounts(funds.balanceMinor, funds.bonusMinor).map(({ id, units, rest, affordable }) => (
        <button
          key={id}
          type="button"
          aria-pressed={stake === String(units) && !rest}
          disabled={!affordable}
          onClick={() => setStake(String(units))}
          data-testid={`quick-${id}`}
        >
          {rest ? t("quickRest") : units}
          {rest && <span className="visually-hidden"> {figures.units(units)}u</span>}
        </button>
      ))}
    </fieldset>
  );
}
