import type { Proof } from "../../api/types.ts";
import { loadWithRetry } from "../../lib/lazyWithRetry.ts";
import { type Bytes, fromHex, hex, joined, u32 } from "./crypto/encoding.ts";
import type { Hashing } from "./crypto/hashing.ts";
import { type Step, type Value, verdictOf, verdictOnMissing } from "./verdict.ts";

/** A network of drand, as its chain hash commits to it. */
interface Network {
  key: string;
  genesis: number;
  period: number;
  /** The group of the signatures; the key is in the other one. */
  group: "G1" | "G2";
  /** Whether each round signs the previous one's signature as well. */
  chained: boolean;
}

/** The networks that a day may name, by chain hash; written a second time here on purpose. */
const NETWORKS: ReadonlyMap<string, Network> = new Map([
  [
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    {
      key: "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
      genesis: 1_692_803_367,
      period: 3,
      group: "G1",
      chained: false,
    },
  ],
  [
    "8990e7a9aaed2ffed73dbd7092123d6f289930540d7651336225dc172e51b2ce",
    {
      key: "868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a569937c529eeda66c7293784a9402801af31",
      genesis: 1_595_431_050,
      period: 30,
      group: "G2",
      chained: true,
    },
  ],
]);
const OFF = "off";
const MARGIN_S = 6;
const US = 1_000_000;

type DrawBeacon = NonNullable<NonNullable<Proof["drawn"]>["beacon"]>;

/** Whether a day's mode is one whose draws can be checked here. */
export function isKnownMode(mode: string): boolean {
  return mode === OFF || NETWORKS.has(mode);
}

/** Whether the draws of the proof's day have a beacon. */
export function hasBeacon({ day, drawn }: Proof): boolean {
  return (day !== null && day.record.beacon !== OFF) || (drawn?.beacon ?? null) !== null;
}

/** The first beacon round that is published at least six seconds after the close. */
export function beaconRound({ genesis, period }: Network, closesAt: number): number {
  const since = closesAt + (MARGIN_S - genesis) * US;
  const rest = since % (period * US);
  return (since - rest) / (period * US) + (rest > 0 ? 2 : 1);
}

/** What its day's mode adds to the calculation of a draw: a flag, and 32 bytes of randomness. */
export function beaconBytes({ day, drawn }: Proof): Bytes {
  const beacon = drawn?.beacon ?? null;
  if (day?.record.beacon === OFF || beacon === null) return new Uint8Array(33);
  return joined(Uint8Array.of(1), fromHex(beacon.randomness));
}

/** The beacon's round is the one that follows from the close, and its network signed it. */
export async function beaconStep(hashing: Hashing, proof: Proof): Promise<Step> {
  const { day, frozen, drawn } = proof;
  if (!(day && frozen && drawn)) {
    return { name: "beacon", verdict: verdictOnMissing(proof), values: [] };
  }
  const { beacon } = drawn;
  const network = NETWORKS.get(day.record.beacon);
  if (!(beacon && network)) return { name: "beacon", verdict: "wrong", values: [] };
  const verdict = await verdictOf(
    async () =>
      beacon.round === beaconRound(network, frozen.record.closes_at) &&
      hex(await hashing.sha256(fromHex(beacon.signature))) === beacon.randomness &&
      (await isSigned(hashing, network, beacon)),
  );
  const values: Value[] = [
    ["network", `${beacon.network} ${day.record.beacon}`],
    ["beaconRound", String(beacon.round)],
    ["randomness", beacon.randomness],
    ["beaconSignature", beacon.signature],
  ];
  if (network.chained) values.push(["previousSignature", beacon.previous_signature]);
  return { name: "beacon", verdict, values };
}

async function isSigned(
  hashing: Hashing,
  network: Network,
  { round, signature, previous_signature: previous }: DrawBeacon,
): Promise<boolean> {
  if ((previous !== "") !== network.chained) return false;
  const message = await hashing.sha256(joined(fromHex(previous), u64(round)));
  const { isBlsSigned } = await loadWithRetry(() => import("./crypto/blsSignature.ts"));
  return isBlsSigned(network.group, fromHex(network.key), message, fromHex(signature));
}

function u64(number: number): Bytes {
  return joined(u32(Math.floor(number / 2 ** 32)), u32(number % 2 ** 32));
}
