import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Proof } from "../../api/types.ts";
import { beaconRound } from "./beacon.ts";
import { check } from "./checkProof.ts";
import { isBlsSigned } from "./crypto/blsSignature.ts";
import { fromHex, joined, u32 } from "./crypto/encoding.ts";
import { webHashing } from "./crypto/hashing.ts";
import { nobleHashing } from "./crypto/nobleHashing.ts";
import type { ProofRequest } from "./verdict.ts";

/** A draw with a recorded round of drand's quicknet, computed and checked by the server's tests. */
const tests = join(import.meta.dirname, "../../../../tests");
const proof: Proof = JSON.parse(readFileSync(join(tests, "api/beacon_proof.json"), "utf8"));
const asked: ProofRequest = { game_id: 1, issue: proof.issue, player: "" };

interface Row {
  chain_hash: string;
}
interface RecordedNetwork extends Row {
  scheme: string;
  public_key: string;
}
interface RecordedRound extends Row {
  number: number;
  signature: string;
  previous_signature?: string;
}
const recorded: { networks: RecordedNetwork[]; rounds: RecordedRound[] } = JSON.parse(
  readFileSync(join(tests, "engine/fairness/recorded_beacons.json"), "utf8"),
);

function part<Part>(held: Part | null | undefined): Part {
  if (held === null || held === undefined) throw new Error("the proof lacks it");
  return held;
}
const day = part(proof.day);
const drawn = part(proof.drawn);
const beacon = part(drawn.beacon);
const frozen = part(proof.frozen);

const withBeacon = (change: Partial<typeof beacon>): Proof => ({
  ...proof,
  drawn: { ...drawn, beacon: { ...beacon, ...change } },
});

async function wrongSteps(changed: Proof): Promise<string[]> {
  const { steps } = await check(nobleHashing, changed, asked);
  return steps.filter((step) => step.verdict === "wrong").map((step) => step.name);
}

test.each([
  ["the library's", nobleHashing],
  ["the browser's", webHashing(crypto.subtle)],
])("a draw with a recorded beacon round checks with %s hashes", async (_, hashing) => {
  const { verdict, steps } = await check(hashing, proof, asked);
  expect(steps.map((step) => [step.name, step.verdict])).toEqual(
    ["day", "frozen", "operator", "witness", "beacon", "digits", "sum"].map((name) => [
      name,
      "right",
    ]),
  );
  expect(verdict).toBe("right");
});

test("another round, randomness or signature turns the beacon red", async () => {
  const other = part(recorded.rounds.find(({ number }) => number === 1002)).signature;
  const randomness = "00".repeat(32);
  expect(await wrongSteps(withBeacon({ round: 1002 }))).toEqual(["beacon"]);
  expect(await wrongSteps(withBeacon({ randomness }))).toEqual(["beacon", "digits"]);
  expect(await wrongSteps(withBeacon({ signature: other }))).toEqual(["beacon"]);
  expect(await wrongSteps(withBeacon({ signature: "no hex" }))).toEqual(["beacon"]);
  expect(await wrongSteps(withBeacon({ previous_signature: other }))).toEqual(["beacon"]);
});

test("a draw whose day names a beacon is wrong without it, and with a network unknown here", async () => {
  const without: Proof = { ...proof, drawn: { ...drawn, beacon: null } };
  expect(await wrongSteps(without)).toEqual(["beacon", "digits"]);
  for (const mode of ["on", "quicknet", "constructor", "off"]) {
    const record = { ...day.record, beacon: mode };
    expect(await wrongSteps({ ...proof, day: { ...day, record } })).toContain("day");
    expect(await wrongSteps({ ...proof, day: { ...day, record } })).toContain("beacon");
  }
});

test("before the draw the beacon is not there yet", async () => {
  const closed: Proof = { ...proof, state: "closed", secrets: null, drawn: null };
  const { steps } = await check(nobleHashing, closed, asked);
  expect(steps.find(({ name }) => name === "beacon")?.verdict).toBe("later");
});

test("the round is the first at least six seconds after the close", () => {
  const quicknet = { genesis: 1_692_803_367, period: 3 } as Parameters<typeof beaconRound>[0];
  const published = 1_692_806_364_000_000;
  expect(beaconRound(quicknet, published - 6_000_000)).toBe(1000);
  expect(beaconRound(quicknet, published - 6_000_000 + 1)).toBe(1001);
  expect(beaconRound(quicknet, frozen.record.closes_at)).toBe(beacon.round);
});

test.each(recorded.rounds)("the recorded round $number of $chain_hash is signed", async (row) => {
  const network = part(recorded.networks.find((one) => one.chain_hash === row.chain_hash));
  const group = network.scheme === "bls-unchained-g1-rfc9380" ? "G1" : "G2";
  const digest = async (round: number) =>
    nobleHashing.sha256(joined(fromHex(row.previous_signature ?? ""), u32(0), u32(round)));
  const key = fromHex(network.public_key);
  const signature = fromHex(row.signature);
  expect(isBlsSigned(group, key, await digest(row.number), signature)).toBe(true);
  expect(isBlsSigned(group, key, await digest(row.number + 1), signature)).toBe(false);
  const identity = Uint8Array.from(signature, (_, at) => (at === 0 ? 0xc0 : 0));
  expect(isBlsSigned(group, key, await digest(row.number), identity)).toBe(false);
});
