import type { Proof } from "../../api/types.ts";
import { isKnownMode } from "./beacon.ts";
import { canonical, fromHex, hex, joined, utf8 } from "./crypto/encoding.ts";
import type { Hashing } from "./crypto/hashing.ts";
import { anchor, type Role } from "./drawDigits.ts";
import {
  type ProofRequest,
  recordText,
  type Step,
  type Value,
  verdictOf,
  verdictOnMissing,
  wasReleased,
} from "./verdict.ts";

/** One a second, more than any day has: bounds the hashing that a bad answer can cause. */
const MOST_ROUNDS = 86_400;
const DAY_TAG = utf8("fairdraw/day/v1\0");
const FROZEN_TAG = utf8("fairdraw/frozen/v1\0");
const RELEASE_TAG = utf8("fairdraw/release/v1\0");
const CANCEL_TAG = utf8("fairdraw/cancel/v1\0");

type SignedDay = NonNullable<Proof["day"]>;
type SignedSet = NonNullable<Proof["frozen"]>;

/** Both parties signed the ends of their chains before the first sale. */
export async function dayStep(hashing: Hashing, proof: Proof, asked: ProofRequest): Promise<Step> {
  const { day } = proof;
  if (day === null) return { name: "day", verdict: "wrong", values: [] };
  const { record } = day;
  const verdict = await verdictOf(async () => {
    const message = joined(DAY_TAG, utf8(canonical(record)));
    const signed = (key: string, signature: string) =>
      hashing.isSigned(fromHex(key), message, fromHex(signature));
    return (
      record.game === String(asked.game_id) &&
      isKnownMode(record.beacon) &&
      (await signed(record.operator_key, day.operator_signature)) &&
      (await signed(record.witness_key, day.witness_signature))
    );
  });
  const values: Value[] = [
    ["record", recordText(record)],
    ["operatorKey", record.operator_key],
    ["operatorSignature", day.operator_signature],
    ["witnessKey", record.witness_key],
    ["witnessSignature", day.witness_signature],
  ];
  return { name: "day", verdict, values };
}

/** The list of bets was hashed and signed at the close, for this round of this day. */
export async function frozenStep(
  hashing: Hashing,
  proof: Proof,
  asked: ProofRequest,
): Promise<Step> {
  const { day, frozen } = proof;
  if (frozen === null) {
    const verdict = proof.state === "open" ? "later" : "wrong";
    return { name: "frozen", verdict, values: [] };
  }
  const verdict = await verdictOf(async () => {
    const hash = await hashing.sha256(utf8(canonical(frozen.record)));
    return (
      day !== null &&
      isOfDay(day.record, frozen.record) &&
      frozen.record.issue === asked.issue &&
      hex(hash) === frozen.hash &&
      (await hashing.isSigned(
        fromHex(day.record.operator_key),
        joined(FROZEN_TAG, hash),
        fromHex(frozen.operator_signature),
      ))
    );
  });
  const values: Value[] = [
    ["record", recordText(frozen.record)],
    ["hash", frozen.hash],
    ["operatorSignature", frozen.operator_signature],
  ];
  return { name: "frozen", verdict, values };
}

function isOfDay(day: SignedDay["record"], frozen: SignedSet["record"]): boolean {
  const last = Math.min(day.rounds, MOST_ROUNDS);
  return (
    frozen.game === day.game &&
    frozen.day === day.day &&
    Math.max(1, day.first) <= frozen.i &&
    frozen.i <= last
  );
}

/** A party's secret of the round leads back to what it published before the first sale. */
export async function linkStep(hashing: Hashing, role: Role, proof: Proof): Promise<Step> {
  const { day, frozen, secrets } = proof;
  if (!(day && frozen && secrets))
    return { name: role, verdict: verdictOnMissing(proof), values: [] };
  const mine = role === "operator";
  const published = mine ? day.record.c_0 : day.record.w_0;
  const secret = mine ? secrets.operator_secret : secrets.witness_secret;
  let reached = "";
  const verdict = await verdictOf(async () => {
    if (!isOfDay(day.record, frozen.record)) return false;
    reached = hex(await anchor(hashing, role, frozen.record, fromHex(secret)));
    return reached === published && (mine || (await hasRelease(hashing, proof)));
  });
  const values: Value[] = [
    ["secret", secret],
    ["reached", reached],
    ["published", published],
  ];
  if (!mine) values.push(["witnessSignature", secrets.witness_signature]);
  return { name: role, verdict, values };
}

/** What the witness signed: its release for this very list, or that there was none. */
function hasRelease(hashing: Hashing, proof: Proof): Promise<boolean> {
  const { day, frozen, secrets } = proof;
  if (!(day && frozen && secrets)) return Promise.resolve(false);
  const { day: name, game, i } = frozen.record;
  const message = wasReleased(proof)
    ? joined(RELEASE_TAG, fromHex(frozen.hash))
    : joined(CANCEL_TAG, utf8(canonical({ day: name, game, i, v: 1 })));
  const key = fromHex(day.record.witness_key);
  return hashing.isSigned(key, message, fromHex(secrets.witness_signature));
}

/**
 * What the witness of an unattested round signed afterwards; null if it need not have signed. That it
 * never released its secret is always signed: without a signature the house made it up.
 */
export async function lateStep(hashing: Hashing, proof: Proof): Promise<Step | null> {
  const late = proof.voided?.late_answer;
  if (!late || (late.statement !== "not_released" && !late.witness_signature)) return null;
  const { witness_secret, witness_signature } = late;
  const secrets = { operator_secret: "", witness_secret, witness_signature };
  return linkStep(hashing, "witness", { ...proof, secrets });
}
