import type { Proof } from "../../api/types.ts";
import { canonical } from "./crypto/encoding.ts";

export type Verdict = "right" | "wrong" | "later";
export type StepName = "day" | "frozen" | "operator" | "witness" | "beacon" | "digits" | "sum";

/** A published or computed value, by the name that the texts have for it. */
export type ValueName =
  | "record"
  | "hash"
  | "operatorKey"
  | "witnessKey"
  | "operatorSignature"
  | "witnessSignature"
  | "published"
  | "secret"
  | "reached"
  | "network"
  | "beaconRound"
  | "randomness"
  | "beaconSignature"
  | "previousSignature"
  | "stream"
  | "digits"
  | "receipt"
  | "checkpoint"
  | "entry";
export type Value = readonly [name: ValueName, text: string];

export interface Step {
  name: StepName;
  verdict: Verdict;
  values: readonly Value[];
}

/** The round and player of the check: a proof of anything else is wrong. */
export interface ProofRequest {
  game_id: number;
  issue: string;
  player: string;
}

const WAITING: readonly Proof["state"][] = ["open", "closed"];

/**
 * The verdict on missing data: expected later while the round is open or closed, wrong afterwards.
 */
export function verdictOnMissing(proof: Proof): Verdict {
  return WAITING.includes(proof.state) ? "later" : "wrong";
}

/**
 * Whether the witness released its secret for the round, as it must for a draw. Of a voided round it
 * signed that it did not, unless it states after an unattested void that it did.
 */
export function wasReleased({ state, voided }: Proof): boolean {
  return state !== "voided" || voided?.late_answer?.statement === "released";
}

/** The verdict of several checks; what is not proved is not wrong. */
export function wholeOf(verdicts: readonly (Verdict | "unproved")[]): Verdict {
  if (verdicts.includes("wrong")) return "wrong";
  return verdicts.includes("later") ? "later" : "right";
}

/** The verdict of a check; unreadable data is wrong. */
export async function verdictOf(holds: () => Promise<boolean>): Promise<Verdict> {
  try {
    return (await holds()) ? "right" : "wrong";
  } catch {
    return "wrong";
  }
}

/** The canonical form that was hashed, or plain JSON for a record without one. */
export function recordText(record: unknown): string {
  try {
    return canonical(record);
  } catch {
    return JSON.stringify(record);
  }
}
