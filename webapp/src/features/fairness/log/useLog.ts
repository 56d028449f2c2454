import { useQuery } from "@tanstack/react-query";
import type { Proof } from "../../../api/types.ts";
import { useLineAddress } from "../../../lib/lines.ts";
import { useSession } from "../../../lib/session.ts";
import { availableHashing } from "../crypto/hashing.ts";
import type { ProofRequest, Verdict } from "../verdict.ts";
import { type CheckedLog, checkLog } from "./checkLog.ts";
import { houseLog } from "./houseLog.ts";
import { PHONE } from "./keptCheckpoints.ts";

/** A bet is sealed within a second or two. */
const SEALED_MS = 2_000;
const LOOK_AGAIN_MS = 5_000;

/** The log as far as it was checked; `again` checks it once more. */
export interface FollowedLog {
  checked: CheckedLog | null;
  /** "later" too while it is being checked, and while the house does not answer. */
  verdict: Verdict;
  isUnanswered: boolean;
  again: () => void;
}

/** Checks the log of the round's house, and the player's bets in it. */
export function useLog({ day, bets }: Proof, { player }: ProofRequest): FollowedLog {
  const token = useSession((session) => session.token);
  const line = useSession((session) => session.activeList);
  const lines = [useLineAddress(0), useLineAddress(1)];
  const operatorKey = day?.record.operator_key ?? "";
  const witnessKey = day?.record.witness_key ?? "";
  const ids = bets.map((bet) => bet.receipt.bet);
  const log = useQuery({
    queryKey: ["log", operatorKey, witnessKey, line, lines, token, player, ...ids],
    queryFn: async ({ signal }) => {
      const now = Math.floor(Date.now() / 1000);
      const asked = { operatorKey, witnessKey, player, bets, now };
      return checkLog(await availableHashing(), houseLog(signal), PHONE, asked);
    },
    enabled: operatorKey !== "",
    placeholderData: () => undefined,
    structuralSharing: false,
    refetchInterval: ({ state }) => nextCheckMs(state.data),
  });
  const checked = log.data ?? null;
  return {
    checked,
    verdict: checked?.verdict ?? "later",
    isUnanswered: log.isError,
    again: () => void log.refetch(),
  };
}

/** false once there is a verdict. */
function nextCheckMs(checked: CheckedLog | undefined): number | false {
  if (checked === undefined) return LOOK_AGAIN_MS;
  return checked.verdict === "later" ? SEALED_MS : false;
}
