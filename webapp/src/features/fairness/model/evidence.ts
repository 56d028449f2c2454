import type { Proof } from "../../../api/types.ts";
import type { Asked } from "./step.ts";

/** The file in which a member keeps what the house published, to be checked by anybody. */
export function evidenceName({ game_id, issue }: Asked): string {
  return `fairdraw-${game_id}-${issue.replace(/[^\w-]/g, "")}.json`;
}

/** The answer as it came; `player` is what the owner of each receipt is the hash of. */
export function evidenceText(proof: Proof, { player }: Asked): string {
  return `${JSON.stringify({ format: "fairdraw/proof/v1", player, proof }, null, 2)}\n`;
}
