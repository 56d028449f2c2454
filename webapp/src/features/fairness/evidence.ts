/** Evidence of a bet or a round: all that `scripts/audit verify` reads, and nothing that it ignores. */

import type { Proof, ProvenBet } from "../../api/types.ts";
import type { LogProof } from "./log/checkLog.ts";
import type { ProofRequest } from "./verdict.ts";

const OF_BET = "fairdraw/evidence/v1";
const OF_ROUND = "fairdraw/round/v1";

export function betEvidenceName({ receipt }: ProvenBet): string {
  return fileName(receipt.game, receipt.issue, receipt.bet);
}

export function roundEvidenceName({ game_id, issue }: ProofRequest): string {
  return fileName(String(game_id), issue);
}

function fileName(...words: string[]): string {
  return `${["fairdraw", ...words].map((word) => word.replace(/[^\w-]/g, "")).join("-")}.json`;
}

/** null before the day's terms are published. What has not happened yet is null in the file. */
export function betEvidence(
  proof: Proof,
  bet: ProvenBet,
  { entry, path, note, batch }: LogProof,
  { player }: ProofRequest,
): string | null {
  return textOf(proof, {
    format: OF_BET,
    player,
    bet: partOf(bet),
    batch,
    log: { entry, path, note },
  });
}

/** As `betEvidence`, with the player's bets; without bets it does not name the player. */
export function roundEvidence(proof: Proof, { player }: ProofRequest): string | null {
  const bets = proof.bets.map(partOf);
  return textOf(proof, { format: OF_ROUND, player: bets.length > 0 ? player : null, bets });
}

function partOf({ receipt, index, path, payout_minor }: ProvenBet) {
  return { receipt, index, path, payout_minor };
}

function textOf({ day, frozen, secrets, drawn, voided }: Proof, rest: object): string | null {
  if (day === null) return null;
  const evidence = {
    ...rest,
    operator_key: day.record.operator_key,
    witness_key: day.record.witness_key,
    day: {
      record: day.record,
      operator_signature: day.operator_signature,
      witness_signature: day.witness_signature,
    },
    frozen: frozen && {
      record: frozen.record,
      hash: frozen.hash,
      operator_signature: frozen.operator_signature,
    },
    secrets: secrets && {
      operator_secret: secrets.operator_secret,
      witness_secret: secrets.witness_secret,
      witness_signature: secrets.witness_signature,
    },
    drawn: drawn && {
      digits: drawn.digits,
      sum: drawn.sum,
      ...(drawn.beacon && { beacon: drawn.beacon }),
    },
    voided: voided?.status ?? null,
  };
  return `${JSON.stringify(evidence, null, 2)}\n`;
}
