import type { Proof } from "../../api/types.ts";
import { beaconBytes } from "./beacon.ts";
import { type Bytes, fromHex, hex, joined, lp, u32, utf8 } from "./crypto/encoding.ts";
import type { Hashing } from "./crypto/hashing.ts";
import { type Step, type Value, verdictOf, verdictOnMissing } from "./verdict.ts";

export type Role = "operator" | "witness";
export type Digits = [number, number, number];

/** Which round of which chain. */
export interface Place {
  game: string;
  day: string;
  i: number;
}

const CHAIN_TAG = utf8("fairdraw/chain/v1\0");
const DRAW_TAG = utf8("fairdraw/draw/v1\0");
const LAST_UNBIASED = 249;

/** Where a revealed link leads after `i` hashes: the value that its chain was published by. */
export async function anchor(
  hashing: Hashing,
  role: Role,
  { game, day, i }: Place,
  revealed: Bytes,
): Promise<Bytes> {
  const prefix = joined(CHAIN_TAG, lp(role), lp(game), lp(day));
  let link = revealed;
  for (let index = i - 1; index >= 0; index--) {
    link = await hashing.sha256(joined(prefix, u32(index), link));
  }
  return link;
}

/** Everything that decides a draw, as it was published. */
interface Published {
  operator: Bytes;
  witness: Bytes;
  frozen: Bytes;
  /** A flag, and a public beacon's randomness or zeros. */
  beacon: Bytes;
}

/** A block of the stream that the operator's link keys over all that is public of the round. */
export function streamBlock(
  hashing: Hashing,
  { game, day, i }: Place,
  { operator, witness, frozen, beacon }: Published,
  block: number,
): Promise<Bytes> {
  const message = joined(DRAW_TAG, lp(game), lp(day), u32(i), witness, frozen, beacon);
  return hashing.hmac(operator, joined(message, u32(block)));
}

/** The first three unbiased bytes of a stream: one above 249 would favour the digits 0 to 5. */
export async function firstDigits(next: (block: number) => Promise<Bytes>): Promise<Digits> {
  const digits: number[] = [];
  for (let block = 0; digits.length < 3; block++) {
    for (const byte of await next(block)) if (byte <= LAST_UNBIASED) digits.push(byte % 10);
  }
  const [a = 0, b = 0, c = 0] = digits;
  return [a, b, c];
}

export function digitsOf(hashing: Hashing, place: Place, published: Published): Promise<Digits> {
  return firstDigits((block) => streamBlock(hashing, place, published, block));
}

/** The digits follow from both secrets, the sealed list and any beacon, and from nothing else. */
export async function digitsStep(hashing: Hashing, proof: Proof): Promise<Step> {
  const { frozen, secrets, drawn } = proof;
  if (!(frozen && secrets && drawn)) {
    return { name: "digits", verdict: verdictOnMissing(proof), values: [] };
  }
  const values: Value[] = [];
  const verdict = await verdictOf(async () => {
    const published = decisive(proof, secrets, frozen.hash);
    const computed = await digitsOf(hashing, frozen.record, published);
    values.push(["stream", hex(await streamBlock(hashing, frozen.record, published, 0))]);
    values.push(["digits", computed.join(" ")]);
    return computed.join() === drawn.digits.join();
  });
  return { name: "digits", verdict, values };
}

function decisive(proof: Proof, secrets: NonNullable<Proof["secrets"]>, hash: string): Published {
  return {
    operator: fromHex(secrets.operator_secret),
    witness: fromHex(secrets.witness_secret),
    frozen: fromHex(hash),
    beacon: beaconBytes(proof),
  };
}

export function sumStep(proof: Proof): Step {
  const { drawn } = proof;
  if (drawn === null) return { name: "sum", verdict: verdictOnMissing(proof), values: [] };
  const sum = drawn.digits.reduce((total, digit) => total + digit, 0);
  return { name: "sum", verdict: sum === drawn.sum ? "right" : "wrong", values: [] };
}
