import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { useLocale, useTranslations } from "use-intl";
import { useConfig, useProfile } from "../../api/commonQueries.ts";
import type { Game, Plan, Tier } from "../../api/types.ts";
import { AgeBadge } from "../../components/AgeBadge.tsx";
import { PlayMoney } from "../../components/Amount.tsx";
import { Balls, parseCode } from "../../components/Balls.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Card } from "../../components/Page.tsx";
import { toast } from "../../components/Toaster.tsx";
import { useErrorToast } from "../../components/useErrorText.ts";
import { useGameName } from "../../i18n/names.ts";
import { canEnter } from "../../lib/halls.ts";
import { formatMoney } from "../../lib/money.ts";
import { useSession } from "../../lib/session.ts";
import styles from "./HallList.module.css";

interface HallListProps {
  game: Game;
  level: Tier;
  className?: string | undefined;
}

/** One game's last draw, its three halls of the level, and what kind of game this is. */
export function HallList({ game, level, className }: HallListProps) {
  const t = useTranslations("lottery");
  const common = useTranslations("common");
  const enter = useEnterHall(game, level);
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
        <AgeBadge /> <PlayMoney show={demo} /> {common("chance")}
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

const GATE = (
  <>
    <path d="M24 68V34l24-15 24 15v34z" fill="var(--gold)" fillOpacity="0.1" />
    <path d="M38 68V50a10 10 0 0 1 20 0v18z" fill="var(--surface)" />
    <circle cx="48" cy="33" r="3.5" fill="var(--gold)" stroke="none" />
    <path d="M18 68h60M14 73h68" />
  </>
);

const PORTICO = (
  <>
    <path d="M16 38L48 19l32 19z" fill="var(--gold)" fillOpacity="0.14" />
    <circle cx="48" cy="31" r="3.5" fill="var(--gold)" stroke="none" />
    <path d="M18 42h60M27 46v20M41 46v20M55 46v20M69 46v20" />
    <path d="M18 69h60M14 74h68" />
  </>
);

const DOME = (
  <>
    <circle cx="48" cy="9" r="3" fill="var(--gold)" stroke="none" />
    <path d="M26 38a22 22 0 0 1 44 0z" fill="var(--gold)" fillOpacity="0.2" />
    <path d="M48 12v26M39 18c-3 5-5 12-5 20M57 18c3 5 5 12 5 20" strokeWidth="1.6" />
    <path d="M20 38h56v6H20z" fill="var(--gold)" fillOpacity="0.1" />
    <path d="M26 48v18M37 48v18M48 48v18M59 48v18M70 48v18" />
    <path d="M18 69h60M12 74h72" />
  </>
);

const HALLS: Record<Tier, ReactNode> = { 0: GATE, 1: PORTICO, 2: DOME };
const PIPS: Record<Tier, readonly number[]> = { 0: [48], 1: [43, 53], 2: [38, 48, 58] };

/** A gate, a portico or a dome for the hall, above one to three balls for the level. */
function TierArt({ tier, level }: { tier: Tier; level: Tier }) {
  return (
    <svg viewBox="0 0 96 88" fill="none" stroke="var(--gold)" strokeWidth="2.4" aria-hidden="true">
      <rect x="1" y="1" width="94" height="86" rx="18" fill="var(--gold-soft)" stroke="none" />
      <g strokeLinejoin="round" strokeLinecap="round">
        {HALLS[tier]}
      </g>
      {PIPS[level].map((x) => (
        <circle key={x} cx={x} cy="80.5" r="2.6" fill="var(--gold)" stroke="none" />
      ))}
    </svg>
  );
}

/** Enters a hall, or says that the balance is below its minimum. */
function useEnterHall(game: Game, level: Tier): (plan: Plan) => Promise<void> {
  const common = useTranslations("common");
  const navigate = useNavigate();
  const gameName = useGameName();
  const failed = useErrorToast();
  const profile = useProfile();
  const balance = () => useSession.getState().money;
  return async (plan) => {
    if (canEnter(plan.join_limit, balance()) === "unknown") {
      const { error } = await profile.refetch();
      if (error) return failed(error);
    }
    if (canEnter(plan.join_limit, balance()) !== "open") return toast(common("tooPoor"), "bad");
    const query = new URLSearchParams({
      id: String(plan.id),
      game_id: String(game.id),
      name: gameName(game.id, game.name),
      title: common(`tiers.t${plan.type}`),
      status: String(level),
    });
    navigate(`/betRoom?${query}`);
  };
}
