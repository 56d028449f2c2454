import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Proof } from "../../api/types.ts";
import { check } from "./checkProof.ts";
import { nobleHashing } from "./crypto/nobleHashing.ts";

type LateAnswer = NonNullable<NonNullable<Proof["voided"]>["late_answer"]>;

const examples = join(import.meta.dirname, "../../../../api/http/openapi/examples/lottery.json");
const example: Proof = JSON.parse(readFileSync(examples, "utf8"))["/api/Lottery/proof"].data;

test.each(["unattested", "breach"] as const)(
  "a round voided as %s is checked up to its bets, without secrets",
  async (status) => {
    const unknown = { answer: "", operator_secret: "", witness_secret: "", witness_signature: "" };
    const said = { reason: "an incident", at: example.draws_at, status, late_answer: null };
    const voided = { ...said, ...unknown };
    const nothing = { drawn: null, secrets: null, bets: [] };
    const proof: Proof = { ...example, ...nothing, state: "voided", voided };
    const asked = { game_id: 1, issue: example.issue, player: "10023" };
    const { steps } = await check(nobleHashing, proof, asked);
    expect(steps.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["day", "right"],
      ["frozen", "right"],
    ]);
  },
);

const SECRETS = { operator_secret: "", witness_secret: "", witness_signature: "" };

/** The example as a round that was voided as unattested, and what its witness stated later. */
function unattested(late_answer: LateAnswer | null): Proof {
  const voided = {
    ...{ reason: "an incident", at: example.draws_at, status: "unattested" as const, answer: "" },
    ...SECRETS,
    late_answer,
  };
  return { ...example, drawn: null, secrets: null, bets: [], state: "voided", voided };
}

async function stepsOf(proof: Proof): Promise<string[][]> {
  const asked = { game_id: 1, issue: example.issue, player: "10023" };
  const { steps } = await check(nobleHashing, proof, asked);
  return steps.map(({ name, verdict }) => [name, verdict]);
}

test("what a returning witness signed is checked; what it did not sign is not shown as a check", async () => {
  const { witness_secret = "", witness_signature = "" } = example.secrets ?? {};
  const released = { statement: "released" as const, answer: "", at: example.draws_at };
  const signed = { ...released, witness_secret, witness_signature };
  const before = [
    ["day", "right"],
    ["frozen", "right"],
  ];
  expect(await stepsOf(unattested(null))).toEqual(before);
  expect(await stepsOf(unattested(signed))).toEqual([...before, ["witness", "right"]]);
  const denied = { ...signed, statement: "not_released" as const };
  expect(await stepsOf(unattested(denied))).toEqual([...before, ["witness", "wrong"]]);
  const unsigned = { ...denied, ...SECRETS };
  expect(await stepsOf(unattested(unsigned))).toEqual([...before, ["witness", "wrong"]]);
  const forged = { ...signed, witness_secret: "0".repeat(64) };
  expect(await stepsOf(unattested(forged))).toEqual([...before, ["witness", "wrong"]]);
  const unknown = { ...released, ...SECRETS, statement: "unknown" as const, answer: "day_unknown" };
  expect(await stepsOf(unattested(unknown))).toEqual(before);
});
