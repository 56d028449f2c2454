import { useNavigate } from "react-router";
import { useTranslations } from "use-intl";
import { useProfile } from "../../api/queries.ts";
import type { Game, Plan, Tier } from "../../api/types.ts";
import { toast } from "../../components/toast.ts";
import { useFailureToast } from "../../i18n/failure.ts";
import { useGameName } from "../../i18n/names.ts";
import { entryTo } from "../../lib/entry.ts";
import { useSession } from "../../lib/session.ts";

/** Goes into a hall, or says that the balance is below its entry. */
export function useEntry(game: Game, level: Tier): (plan: Plan) => Promise<void> {
  const common = useTranslations("common");
  const navigate = useNavigate();
  const gameName = useGameName();
  const failed = useFailureToast();
  const profile = useProfile();
  const balance = () => useSession.getState().money;
  return async (plan) => {
    if (entryTo(plan.join_limit, balance()) === "unknown") {
      const { error } = await profile.refetch();
      if (error) return failed(error);
    }
    if (entryTo(plan.join_limit, balance()) !== "open") return toast(common("tooPoor"), "bad");
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
