import { Link } from "react-router";
import { useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import type { Plan } from "../../api/types.ts";
import { AgeMark } from "../../components/AgeMark.tsx";
import { Levels } from "./Levels.tsx";
import { Names } from "./Names.tsx";
import { Odds } from "./Odds.tsx";
import { RoundTimes } from "./RoundTimes.tsx";
import styles from "./Rules.module.css";

const HOW = ["how2", "how3", "how4", "how5"] as const;
const DRAWS = ["draw1", "draw2", "draw3", "draw4"] as const;
const FUNDS = ["funds1", "funds2"] as const;
const TURNOVER = ["turnover1", "turnover2"] as const;
const FORBIDDEN = ["forbidden1", "forbidden2", "forbidden3"] as const;

/** How the game goes, what each bet pays and returns on average, and what else holds. */
export function Rules({ plan }: { plan: Plan | undefined }) {
  const common = useTranslations("common");
  return (
    <div className={styles.rules}>
      <p className={styles.chance}>
        <AgeMark /> {common("chance")}
      </p>
      <How />
      {plan && <Odds plan={plan} />}
      <Names />
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
  return (
    <section>
      <h2>{t("fair")}</h2>
      <p>{t("fairText")}</p>
      {DRAWS.map((text) => (
        <p key={text}>{rules(text)}</p>
      ))}
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
