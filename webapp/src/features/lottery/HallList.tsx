import { useLocale, useTranslations } from "use-intl";
import { useConfig } from "../../api/queries.ts";
import type { Game, Plan, Tier } from "../../api/types.ts";
import { AgeMark } from "../../components/AgeMark.tsx";
import { Balls } from "../../components/Balls.tsx";
import { Card } from "../../components/Card.tsx";
import { Icon } from "../../components/Icon.tsx";
import { PlayMoney } from "../../components/PlayMoney.tsx";
import { parseCode } from "../../lib/draws.ts";
import { formatMoney } from "../../lib/money.ts";
import styles from "./HallList.module.css";
import { TierArt } from "./TierArt.tsx";
import { useEntry } from "./useEntry.ts";

interface HallListProps {
  game: Game;
  level: Tier;
  className?: string | undefined;
}

/** One game's last draw, its three halls of the level, and what kind of game this is. */
export function HallList({ game, level, className }: HallListProps) {
  const t = useTranslations("lottery");
  const common = useTranslations("common");
  const enter = useEntry(game, level);
  const demo = useConfig()?.demo;
  const drawn = parseCode(game.issue.last_code);
  return (
    <div className={className}>
      <Card className={styles.last}>
        <p>
          {t("lastDraw")}
          <small>{drawn ? t("round", { issue: game.issue.last_issue }) : t("noDraw")}</small>
        </p>
        <Balls drawn={drawn} />
      </Card>
      {game.planList
        .filter((plan) => plan.vip === level)
        .map((plan) => (
          <Hall key={plan.id} plan={plan} onEnter={() => enter(plan)} />
        ))}
      <p className={styles.chance}>
        <AgeMark /> <PlayMoney show={demo} /> {common("chance")}
      </p>
    </div>
  );
}

function Hall({ plan, onEnter }: { plan: Plan; onEnter: () => void }) {
  const t = useTranslations("lottery");
  const common = useTranslations("common");
  const locale = useLocale();
  return (
    <button type="button" className={styles.hall} onClick={onEnter} data-testid={`hall-${plan.id}`}>
      <TierArt tier={plan.type} level={plan.vip} />
      <b className={styles.name}>
        {common(`tiers.t${plan.type}`)}
        {plan.status === 0 && <span className={styles.shut}>{t("shut")}</span>}
      </b>
      <Icon name="next" size={18} />
      <span className={styles.limits}>
        <span>
          {t("minBet")} <b>{formatMoney(plan.min_limit, locale)}</b>
        </span>
        <span>
          {t("minEntry")}{" "}
          <b>{plan.join_limit === 0 ? t("free") : formatMoney(plan.join_limit, locale)}</b>
        </span>
      </span>
    </button>
  );
}
