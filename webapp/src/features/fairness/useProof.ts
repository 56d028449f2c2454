import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import type { Proof } from "../../api/types.ts";
import { useSession } from "../../lib/session.ts";
import { type Checked, check } from "./checkProof.ts";
import { availableHashing } from "./crypto/hashing.ts";
import type { ProofRequest } from "./verdict.ts";

const LOOK_AGAIN_MS = 5_000;
const FINAL: readonly (Proof["state"] | undefined)[] = ["settled", "voided"];

/** The published data of a round, polled until it is final. */
export function useProof({ game_id, issue }: ProofRequest) {
  const token = useSession((session) => session.token);
  return useQuery({
    queryKey: ["proof", game_id, issue, token],
    queryFn: async ({ signal }) =>
      (await call("Lottery/proof", { game_id, issue }, { signal })).data,
    enabled: issue !== "",
    // Never show another round's proof as this one's.
    placeholderData: () => undefined,
    refetchInterval: ({ state }) => (FINAL.includes(state.data?.state) ? false : LOOK_AGAIN_MS),
  });
}

/** A proof together with what this phone found of it. */
export interface Found {
  proof: Proof;
  checked: Checked;
}

/**
 * The newest checked proof; null before the first. While a newer one is being
 * checked, the last stays, so that the layout does not jump.
 */
export function useChecked(proof: Proof, { game_id, issue, player }: ProofRequest): Found | null {
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    let gone = false;
    const run = async () => {
      const checked = await check(await availableHashing(), proof, { game_id, issue, player });
      if (!gone) setFound({ proof, checked });
    };
    void run();
    return () => {
      gone = true;
    };
  }, [proof, game_id, issue, player]);
  const isThis = found?.proof.issue === proof.issue && found.proof.game_id === proof.game_id;
  return isThis ? found : null;
}
