/** The evidence of one bet: all that `scripts/audit verify` needs, and no field that it ignores. */

import type { Proof, ProvenBet } from "../../api/types.ts";
import type { LogProof } from "./log/checkLog.ts";
import type { ProofRequest } from "./verdict.ts";

const FORMAT = "fairdraw/evidence/v1";

export function betEvidenceName({ receipt }: ProvenBet): string {
  const words = ["fairdraw", receipt.game, receipt.issue, receipt.bet];
  return `${words.map((word) => word.replace(/[^\w-]/g, "")).join("-")}.json`;
}

/** null before the day's terms are published. What has not happened yet is null in the file. */
export function betEvidence(
  proof: Proof,
  { receipt, index, path, payout_minor }: ProvenBet,
  { entry, path: logPath, note, batch }: LogProof,
  { player }: ProofRequest,
): string | null {
  const { day, frozen, secrets, drawn, voided } = proof;
  if (day === null) return null;
  const evidence = {
    format: FORMAT,
    player,
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
    bet: { receipt, index, path, payout_minor },
    batch,
    log: { entry, path: logPath, note },
  };
  return `${JSON.stringify(evidence, null, 2)}\n`;
}
