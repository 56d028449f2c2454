import type { Proof } from "../../../api/types.ts";
import { fromHex, hex } from "../crypto/bytes.ts";
import type { Hashing } from "../crypto/hashing.ts";
import { digitsOf, type Published, streamBlock } from "./draw.ts";
import { absent, held, type Step, type Value } from "./step.ts";

/** The digits follow from both secrets and the sealed list, and from nothing else. */
export async function digitsStep(hashing: Hashing, proof: Proof): Promise<Step> {
  const { frozen, secrets, drawn } = proof;
  if (!(frozen && secrets && drawn)) {
    return { name: "digits", verdict: absent(proof), values: [] };
  }
  const values: Value[] = [];
  const verdict = await held(async () => {
    const published = decisive(secrets, frozen.hash);
    const computed = await digitsOf(hashing, frozen.record, published);
    values.push(["stream", hex(await streamBlock(hashing, frozen.record, published, 0))]);
    values.push(["digits", computed.join(" ")]);
    return computed.join() === drawn.digits.join();
  });
  return { name: "digits", verdict, values };
}

function decisive(secrets: NonNullable<Proof["secrets"]>, hash: string): Published {
  return {
    operator: fromHex(secrets.operator_secret),
    witness: fromHex(secrets.witness_secret),
    frozen: fromHex(hash),
  };
}

export function sumStep(proof: Proof): Step {
  const { drawn } = proof;
  if (drawn === null) return { name: "sum", verdict: absent(proof), values: [] };
  const sum = drawn.digits.reduce((total, digit) => total + digit, 0);
  return { name: "sum", verdict: sum === drawn.sum ? "right" : "wrong", values: [] };
}
