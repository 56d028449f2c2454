import type { Proof } from "../../api/types.ts";
import { canonical } from "./crypto/encoding.ts";

export type Verdict = "right" | "wrong" | "later";
export type StepName = "day" | "frozen" | "operator" | "witness" | "digits" | "sum";

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
  | "stream"
  | "digits"
  | "receipt";
export type Value = readonly [name: ValueName, text: string];

export interface Step {
  name: StepName;
  verdict: Verdict;
  values: readonly Value[];
}

/** What was asked for: an answer about anything else proves nothing. */
export interface Asked {
  game_id: number;
  issue: string;
  player: string;
}

const WAITING: readonly Proof["state"][] = ["open", "closed"];

/** What is not there: it comes later while the round waits, and is missing once it does not. */
export function absent(proof: Proof): Verdict {
  return WAITING.includes(proof.state) ? "later" : "wrong";
}

/** Whether something holds; what cannot even be read does not. */
export async function held(holds: () => Promise<boolean>): Promise<Verdict> {
  try {
    return (await holds()) ? "right" : "wrong";
  } catch {
    return "wrong";
  }
}

/** As it was hashed; a record that has no such form is shown as it came. */
export function written(record: unknown): string {
  try {
    return canonical(record);
  } catch {
    return JSON.stringify(record);
  }
}
