import { Link } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useConfig } from "../../api/commonQueries.ts";
import type { AppConfig, Plan } from "../../api/types.ts";
import { AgeBadge } from "../../components/AgeBadge.tsx";
import { formatMinute } from "../../lib/dates.ts";
import { LEVELS, type Level } from "../../lib/levels.ts";
import { BetNames, HallOdds } from "./OddsTable.tsx";
import styles from "./Rules.module.css";

const HOW = ["how2", "how3", "how4", "how5"] as const;
const DRAWS = ["draw1", "draw2", "draw3", "draw4", "draw5"] as const;
const FUNDS = ["funds1", "funds2"] as const;
const TURNOVER = ["turnover1", "turnover2"] as const;
const FORBIDDEN = ["forbidden1", "forbidden2", "forbidden3"] as const;

/** The rules: the game, what each bet pays and returns on average, and turnover. */
export function Rules({ plan }: { plan: Plan | undefined }) {
  const common = useTranslations("common");
  return (
    <div className={styles.rules}>
      <p className={styles.chance}>
        <AgeBadge /> {common("chance")}
      </p>
      <How />
      {plan && <HallOdds plan={plan} />}
      <BetNames />
      <Draws />
      <Money />
      <Levels />
      <Control />
    </div>
  );
}

function How() {
  const t = useTranslations("lottery");
  const rules = useTranslations("rules");
  const rounds = useConfig()?.rounds;
  return (
    <>
      <section>
        <h2>{t("how")}</h2>
        <ol>
          {rounds && <RoundTimes rounds={rounds} />}
          {HOW.map((step) => (
            <li key={step}>{t(step)}</li>
          ))}
          <li>{rules("close")}</li>
          <li>{rules("follow")}</li>
        </ol>
      </section>
      <section>
        <h2>{rules("halls")}</h2>
        <p>{rules("halls1")}</p>
        <p>{rules("halls2")}</p>
      </section>
    </>
  );
}

function Draws() {
  const t = useTranslations("lottery");
  const rules = useTranslations("rules");
  const statistics = useTranslations("statistics");
  const checks = useTranslations("checks");
  return (
    <section>
      <h2>{t("fair")}</h2>
      <p>{t("fairText")}</p>
      {DRAWS.map((text) => (
        <p key={text}>{rules(text)}</p>
      ))}
      <Link to="/fairness" className={styles.link}>
        {checks("title")}
      </Link>
      <Link to="/statistics" className={styles.link}>
        {statistics("title")}
      </Link>
    </section>
  );
}

/** Turnover, the overnight bonus, and what is not allowed. */
function Money() {
  const t = useTranslations("lottery");
  const rules = useTranslations("rules");
  return (
    <>
      <section>
        <h2>{t("funds")}</h2>
        {FUNDS.map((text) => (
          <p key={text}>{t(text)}</p>
        ))}
        {TURNOVER.map((text) => (
          <p key={text}>{rules(text)}</p>
        ))}
      </section>
      <section>
        <h2>{rules("bonus")}</h2>
        <p>{rules("bonus1")}</p>
        <p>{rules("bonus2")}</p>
      </section>
      <section>
        <h2>{rules("forbidden")}</h2>
        <ul>
          {FORBIDDEN.map((text) => (
            <li key={text}>{rules(text)}</li>
          ))}
        </ul>
      </section>
    </>
  );
}

function Control() {
  const rules = useTranslations("rules");
  const breaks = useTranslations("breaks");
  return (
    <section>
      <h2>{rules("control")}</h2>
      <p>{rules("control1")}</p>
      <Link to="/setting?type=3" className={styles.link}>
        {breaks("title")}
      </Link>
    </section>
  );
}

/**
 * In u. Defaults: staff may change them, and the protection page shows a player the current ones.
 */
const BY_DEFAULT: Record<Level, number> = {
  basic: 0,
  senior: 10_000,
  master: 100_000,
  expert: 1_000_000,
};

/** Member levels and what each takes, and the quota that reserves one. */
function Levels() {
  const rules = useTranslations("rules");
  const names = useTranslations("protection.levels");
  const figure = new Intl.NumberFormat(useLocale());
  return (
    <section>
      <h2>{rules("levels")}</h2>
      <p>{rules("levels1")}</p>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{rules("level")}</th>
            <th scope="col">{rules("turnover")}</th>
          </tr>
        </thead>
        <tbody>
          {LEVELS.map((level) => (
            <tr key={level}>
              <th scope="row">{names(level)}</th>
              <td>{`${figure.format(BY_DEFAULT[level])}u`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>{rules("levels2")}</p>
      <p>{rules("levels3")}</p>
      <Link to="/setting?type=3&part=progress" className={styles.link}>
        {rules("own")}
      </Link>
    </section>
  );
}

/** How long a round of this house lasts, and when rounds are sold. */
function RoundTimes({ rounds }: { rounds: AppConfig["rounds"] }) {
  const t = useTranslations("lottery");
  const { seconds, opens, minutes } = rounds;
  const { shown, ...parts } = roundLength(seconds);
  const length = t(`length.${shown}`, parts);
  if (minutes >= WHOLE_DAY_MIN) return <li>{t("how1Always", { length })}</li>;
  const hours = { opens: formatMinute(opens), closes: formatMinute(opens + minutes) };
  return <li>{t("how1", { length, ...hours })}</li>;
}

/** How long a round lasts. */

const MINUTE_S = 60;

/** A day in which sales never stop. */
const WHOLE_DAY_MIN = 24 * MINUTE_S;

/** Seconds as minutes and seconds, and which of the two to show. */
export function roundLength(all: number) {
  const [minutes, seconds] = [Math.floor(all / MINUTE_S), all % MINUTE_S];
  if (minutes === 0) return { shown: "seconds", minutes, seconds } as const;
  return { shown: seconds === 0 ? "minutes" : "both", minutes, seconds } as const;
}
