import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Proof, ProvenBet } from "../../api/types.ts";
import { check } from "./checkProof.ts";
import { nobleHashing } from "./crypto/nobleHashing.ts";
import { betEvidence, betEvidenceName, roundEvidence, roundEvidenceName } from "./evidence.ts";

/** The evidence that `scripts/audit verify` is tested with. */
const file = join(import.meta.dirname, "../../../../tests/engine/fairness/log_vectors.json");
const { evidence } = JSON.parse(readFileSync(file, "utf8"));
const bet: ProvenBet = { ...evidence.bet, status: 1 };
const asked = { game_id: 1, issue: bet.receipt.issue, player: evidence.player };
const logged = { ...evidence.log, batch: evidence.batch };

/** The proof that a server answers with, of which the evidence keeps a part. */
const proof: Proof = {
  game_id: 1,
  issue: bet.receipt.issue,
  state: "settled",
  opens_at: 0,
  closes_at: evidence.frozen.record.closes_at,
  draws_at: 0,
  self_witnessed: true,
  day: { ...evidence.day, odds_table: "card-21.04.02", at: 1, follows: null },
  frozen: { ...evidence.frozen, at: 2 },
  secrets: evidence.secrets,
  drawn: { ...evidence.drawn, at: 3 },
  voided: null,
  bets: [bet],
  waiting: null,
};

test("the file has exactly the fields of evidence that an auditor verifies", () => {
  expect(JSON.parse(betEvidence(proof, bet, logged, asked) ?? "")).toEqual(evidence);
});

test("the file of the round has the same round, and the player's bets", () => {
  const { bet: own, batch: _, log: __, ...round } = evidence;
  const expected = { ...round, format: "fairdraw/round/v1", bets: [own] };
  expect(JSON.parse(roundEvidence(proof, asked) ?? "")).toEqual(expected);
  const without = { ...expected, player: null, bets: [] };
  expect(JSON.parse(roundEvidence({ ...proof, bets: [] }, asked) ?? "")).toEqual(without);
  expect(roundEvidence({ ...proof, day: null }, asked)).toBeNull();
  expect(roundEvidenceName(asked)).toBe("fairdraw-1-20261121007.json");
  expect(roundEvidenceName({ ...asked, issue: "../7" })).toBe("fairdraw-1-7.json");
});

test("the round of the evidence checks in the app as well", async () => {
  const { verdict, bets } = await check(nobleHashing, proof, asked);
  expect(verdict).toBe("right");
  expect(bets.map(({ mine, place, paid }) => [mine, place, paid])).toEqual([
    ["right", "right", "right"],
  ]);
});

test("what has not happened yet is null", () => {
  const open: Proof = { ...proof, state: "open", frozen: null, secrets: null, drawn: null };
  const text = betEvidence(open, { ...bet, index: null, path: null }, logged, asked) ?? "";
  const { frozen, secrets, drawn, bet: own } = JSON.parse(text);
  expect([frozen, secrets, drawn, own.index, own.path]).toEqual([null, null, null, null, null]);
  expect(betEvidence({ ...proof, day: null }, bet, logged, asked)).toBeNull();
});

test("of a voided round the file has the kind of void", () => {
  const unknown = { answer: "", operator_secret: "", witness_secret: "", witness_signature: "" };
  const said = { reason: "an incident", at: 4, status: "attested" } as const;
  const voided = { ...said, ...unknown, late_answer: null };
  const text = betEvidence({ ...proof, drawn: null, voided }, bet, logged, asked) ?? "";
  expect(JSON.parse(text)).toMatchObject({ voided: "attested", drawn: null });
});

test("of a draw with a beacon the file has the beacon, without which it proves nothing", () => {
  const beacon = {
    network: "quicknet",
    round: 1001,
    randomness: "b0",
    signature: "b3",
    previous_signature: "",
  };
  const drawn = { ...evidence.drawn, at: 3, beacon };
  const text = betEvidence({ ...proof, drawn }, bet, logged, asked) ?? "";
  expect(JSON.parse(text).drawn).toEqual({ ...evidence.drawn, beacon });
});

test("its name has no sign that a file system refuses", () => {
  expect(betEvidenceName(bet)).toBe("fairdraw-1-20261121007-00000000000000000002.json");
  const odd = { ...bet, receipt: { ...bet.receipt, bet: "../a/b" } };
  expect(betEvidenceName(odd)).toBe("fairdraw-1-20261121007-ab.json");
});
