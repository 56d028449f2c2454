import type { Proof } from "../../api/types.ts";
import { beaconStep, hasBeacon } from "./beacon.ts";
import { type CheckedBet, checkBet } from "./betSet.ts";
import type { Hashing } from "./crypto/hashing.ts";
import { digitsStep, sumStep } from "./drawDigits.ts";
import { dayStep, frozenStep, lateStep, linkStep } from "./proofSteps.ts";
import { type ProofRequest, type Step, type Verdict, wholeOf } from "./verdict.ts";

/** Everything that was checked of a round; `verdict` is that of the whole. */
export interface Checked {
  verdict: Verdict;
  steps: Step[];
  bets: CheckedBet[];
}

/** Checks a proof only from its own content, so that a wrong answer of the server is detected. */
export async function check(hashing: Hashing, proof: Proof, asked: ProofRequest): Promise<Checked> {
  const steps = [await dayStep(hashing, proof, asked), await frozenStep(hashing, proof, asked)];
  // Of an unattested void or a breach the secrets are not both known: the page says which it is.
  if (!proof.voided || proof.voided.status === "attested")
    steps.push(
      await linkStep(hashing, "operator", proof),
      await linkStep(hashing, "witness", proof),
    );
  const late = await lateStep(hashing, proof);
  if (late) steps.push(late);
  if (proof.state !== "voided" && hasBeacon(proof)) steps.push(await beaconStep(hashing, proof));
  if (proof.state !== "voided") steps.push(await digitsStep(hashing, proof), sumStep(proof));
  const bets: CheckedBet[] = [];
  for (const bet of proof.bets) bets.push(await checkBet(hashing, proof, bet, asked));
  const verdicts = [
    ...steps.map((step) => step.verdict),
    ...bets.flatMap(({ mine, place, paid }) => [mine, place, paid]),
  ];
  return { verdict: wholeOf(verdicts), steps, bets };
}
