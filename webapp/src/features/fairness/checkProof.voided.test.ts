import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Proof } from "../../api/types.ts";
import { check } from "./checkProof.ts";
import { nobleHashing } from "./crypto/nobleHashing.ts";

const examples = join(import.meta.dirname, "../../../../api/http/openapi/examples/lottery.json");
const example: Proof = JSON.parse(readFileSync(examples, "utf8"))["/api/Lottery/proof"].data;

test.each(["unattested", "breach"] as const)(
  "a round voided as %s is checked up to its bets, without secrets",
  async (status) => {
    const unknown = { answer: "", operator_secret: "", witness_secret: "", witness_signature: "" };
    const voided = { reason: "an incident", at: example.draws_at, status, ...unknown };
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
