import { useId } from "react";
import { useTranslations } from "use-intl";
import { quickAmounts, type StakeProblem } from "../model/stake.ts";
import type { Purse } from "../purse.ts";
import { setStake, useSlip } from "../slipStore.ts";
import { useFigures } from "../words.ts";
import styles from "./StakeRow.module.css";

const EMPTY: Purse = { balanceMinor: 0, bonusMinor: 0 };

interface StakeRowProps {
  purse: Purse | null;
  minimumUnits: number;
  /** Shown once the player has something to mend; an empty slip is no mistake. */
  problem: StakeProblem | null;
}

/** The quick amounts and the amount itself, each the stake of every bet selected. */
export function StakeRow({ purse, minimumUnits, problem }: StakeRowProps) {
  const t = useTranslations("room.slip");
  const figures = useFigures();
  const id = useId();
  const stake = useSlip((slip) => slip.stake);
  const minimum = figures.units(minimumUnits);
  return (
    <div className={styles.stake}>
      <QuickRow purse={purse ?? EMPTY} />
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

function QuickRow({ purse }: { purse: Purse }) {
  const t = useTranslations("room.slip");
  const figures = useFigures();
  const stake = useSlip((slip) => slip.stake);
  return (
    <fieldset className={styles.quick}>
      <legend className="visually-hidden">{t("quick")}</legend>
      {quickAmounts(purse.balanceMinor, purse.bonusMinor).map(({ id, units, rest, affordable }) => (
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
