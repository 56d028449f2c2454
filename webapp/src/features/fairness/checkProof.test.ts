import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Proof } from "../../api/types.ts";
import { NAMED_KINDS, SUMS, winsOn } from "../../lib/betKinds.ts";
import { wins } from "./betSet.ts";
import { check } from "./checkProof.ts";
import { canonical } from "./crypto/encoding.ts";
import { webHashing } from "./crypto/hashing.ts";
import { nobleHashing } from "./crypto/nobleHashing.ts";
import type { ProofRequest } from "./verdict.ts";

/** The answer that the house's own description shows, which the server's tests check as well. */
const examples = join(import.meta.dirname, "../../../../api/http/openapi/examples/lottery.json");
const example: Proof = JSON.parse(readFileSync(examples, "utf8"))["/api/Lottery/proof"].data;
const asked: ProofRequest = { game_id: 1, issue: example.issue, player: "10023" };

function part<Part>(held: Part | null): Part {
  if (held === null) throw new Error("the example lacks it");
  return held;
}
const day = part(example.day);
const frozen = part(example.frozen);
const secrets = part(example.secrets);
const drawn = part(example.drawn);
const [bet] = example.bets;

/** One bit of the first digit of a hex value. */
function flipped(value: string): string {
  return (Number.parseInt(value.slice(0, 1), 16) ^ 1).toString(16) + value.slice(1);
}

async function wrongSteps(proof: Proof, by: ProofRequest = asked): Promise<string[]> {
  const { steps, bets } = await check(nobleHashing, proof, by);
  const wrong = steps.filter((step) => step.verdict === "wrong").map((step) => String(step.name));
  for (const each of bets) {
    if (each.mine === "wrong") wrong.push("mine");
    if (each.place === "wrong") wrong.push("place");
    if (each.paid === "wrong") wrong.push("paid");
  }
  return [...new Set(wrong)];
}

const withDay = (change: Partial<typeof day.record>): Proof => ({
  ...example,
  day: { ...day, record: { ...day.record, ...change } },
});
const withFrozen = (change: Partial<typeof frozen.record>): Proof => ({
  ...example,
  frozen: { ...frozen, record: { ...frozen.record, ...change } },
});
const withSecrets = (change: Partial<typeof secrets>): Proof => ({
  ...example,
  secrets: { ...secrets, ...change },
});
const withBet = (change: object): Proof => ({
  ...example,
  bets: example.bets.map((each) => ({ ...each, ...change })),
});
const withReceipt = (change: object): Proof => ({
  ...example,
  bets: example.bets.map((each) => ({ ...each, receipt: { ...each.receipt, ...change } })),
});

test.each([
  ["the library's", nobleHashing],
  ["the browser's", webHashing(crypto.subtle)],
])("an honest round checks with %s hashes", async (_, hashing) => {
  const checked = await check(hashing, example, asked);
  expect(checked.steps.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["day", "right"],
    ["frozen", "right"],
    ["operator", "right"],
    ["witness", "right"],
    ["digits", "right"],
    ["sum", "right"],
  ]);
  expect(checked.bets.map(({ mine, place, paid }) => [mine, place, paid])).toEqual([
    ["right", "right", "right"],
    ["right", "right", "right"],
  ]);
  expect(checked.verdict).toBe("right");
});

describe("one flipped bit turns its step red", () => {
  test.each([
    ["day", { ...example, day: { ...day, operator_signature: flipped(day.operator_signature) } }],
    ["day", { ...example, day: { ...day, witness_signature: flipped(day.witness_signature) } }],
    ["day", withDay({ operator_key: flipped(day.record.operator_key) })],
    ["day", withDay({ witness_key: flipped(day.record.witness_key) })],
    ["day", withDay({ beacon: "on" })],
    ["operator", withDay({ c_0: flipped(day.record.c_0) })],
    ["witness", withDay({ w_0: flipped(day.record.w_0) })],
    ["frozen", withFrozen({ bets: flipped(frozen.record.bets) })],
    ["frozen", withFrozen({ prev: flipped(frozen.record.prev) })],
    ["frozen", withFrozen({ count: frozen.record.count + 1 })],
    ["frozen", withFrozen({ stake_minor: frozen.record.stake_minor + 1 })],
    ["frozen", withFrozen({ i: frozen.record.i - 1 })],
    ["operator", withFrozen({ i: 10 ** 9 })],
    ["frozen", { ...example, frozen: { ...frozen, hash: flipped(frozen.hash) } }],
    [
      "frozen",
      {
        ...example,
        frozen: { ...frozen, operator_signature: flipped(frozen.operator_signature) },
      },
    ],
    ["operator", withSecrets({ operator_secret: flipped(secrets.operator_secret) })],
    ["digits", withSecrets({ operator_secret: flipped(secrets.operator_secret) })],
    ["witness", withSecrets({ witness_secret: flipped(secrets.witness_secret) })],
    ["digits", withSecrets({ witness_secret: flipped(secrets.witness_secret) })],
    ["witness", withSecrets({ witness_signature: flipped(secrets.witness_signature) })],
    ["operator", withSecrets({ operator_secret: "" })],
    ["witness", withSecrets({ witness_secret: "no hex" })],
    ["sum", { ...example, drawn: { ...drawn, sum: drawn.sum ^ 1 } }],
    ["mine", withReceipt({ salt: flipped(bet?.receipt.salt ?? "") })],
    ["place", withReceipt({ stake_minor: 7 })],
    ["place", withBet({ index: 1 })],
    ["place", withBet({ path: [] })],
    ["paid", withBet({ payout_minor: 1 })],
  ] satisfies [string, Proof][])("%s (%#)", async (step, proof) => {
    expect(await wrongSteps(proof)).toContain(step);
  });

  test.each([0, 1, 2])("the digit at place %i", async (place) => {
    const digits = drawn.digits.map((digit, at) => (at === place ? digit ^ 1 : digit));
    const proof = { ...example, drawn: { ...drawn, digits } } as Proof;
    expect(await wrongSteps(proof)).toEqual(["digits", "sum"]);
  });
});

test("an answer about another round, game or member is noticed", async () => {
  expect(await wrongSteps(example, { ...asked, issue: "20261122027" })).toContain("frozen");
  expect(await wrongSteps(example, { ...asked, game_id: 2 })).toContain("day");
  expect(await wrongSteps(example, { ...asked, player: "10024" })).toEqual(["mine"]);
});

test("what is missing of a settled round is wrong, of one that waits not yet there", async () => {
  const bare: Proof = { ...example, frozen: null, secrets: null, drawn: null, bets: [] };
  expect(await wrongSteps(bare)).toEqual(["frozen", "operator", "witness", "digits", "sum"]);
  const open = await check(nobleHashing, { ...bare, state: "open" }, asked);
  expect(open.steps.map((step) => step.verdict)).toEqual([
    "right",
    "later",
    "later",
    "later",
    "later",
    "later",
  ]);
  expect(open.verdict).toBe("later");
  const closed: Proof = { ...example, state: "closed", secrets: null, drawn: null };
  expect(await wrongSteps(closed)).toEqual([]);
});

test("a bet without a path is not proved, and not wrong", async () => {
  const { verdict, bets } = await check(nobleHashing, withBet({ index: null, path: null }), asked);
  expect(bets.map((each) => each.place)).toEqual(["unproved", "unproved"]);
  expect(verdict).toBe("right");
});

test("a voided round without the witness's word that it released nothing is wrong", async () => {
  const state = "voided";
  const unknown = { answer: "", operator_secret: "", witness_secret: "", witness_signature: "" };
  const said = { reason: "an incident", at: drawn.at, status: "attested" } as const;
  const voided = { ...said, ...unknown, late_answer: null };
  const proof: Proof = { ...example, state, drawn: null, voided, bets: [] };
  const { steps } = await check(nobleHashing, proof, asked);
  expect(steps.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["day", "right"],
    ["frozen", "right"],
    ["operator", "right"],
    ["witness", "wrong"], // what it signed in the example is a release
  ]);
});

test("canonical JSON sorts names and knows strings, whole numbers, lists and objects", () => {
  expect(canonical({ b: 1, a: ["x\n", { é: 2, z: 3 }] })).toBe(
    '{"a":["x\\n",{"z":3,"é":2}],"b":1}',
  );
  for (const value of [null, true, 1.5, 2 ** 53, undefined]) {
    expect(() => canonical({ value })).toThrow(TypeError);
  }
});

test.each([
  ["big", 14, 13],
  ["small", 13, 14],
  ["odd", 1, 0],
  ["even", 0, 27],
  ["big_odd", 15, 14],
  ["small_even", 12, 14],
  ["extreme_big", 22, 21],
  ["extreme_small", 5, 6],
  ["13", 13, 12],
] as const)("%s wins on %i and not on %i", (kind, won, lost) => {
  expect([wins(kind, won), wins(kind, lost)]).toEqual([true, false]);
  expect(wins("flat_single", won)).toBe(false);
});

test.each(NAMED_KINDS)("the check's own rule of %s agrees with the app's on every sum", (kind) => {
  expect(SUMS.filter((sum) => wins(kind, sum))).toEqual(SUMS.filter((sum) => winsOn(kind, sum)));
});
