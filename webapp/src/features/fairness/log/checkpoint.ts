/** Checkpoints of the log: C2SP signed notes (tlog-checkpoint). */

import { fromBase64, fromHex, hex, joined, utf8 } from "../crypto/encoding.ts";
import type { Hashing } from "../crypto/hashing.ts";
import type { Tree } from "../crypto/merkle.ts";

const LONGEST = 64 * 1024;
const MOST_SIGNATURES = 32;
const LINE = "— ";
const KEY_ID_BYTES = 4;
const TIME_BYTES = 8;
/** The type of the log's own signature, and of a witness's (C2SP tlog-cosignature). */
const ED25519 = Uint8Array.of(1);
const COSIGNATURE = Uint8Array.of(4);

/** A checkpoint; `text` is the whole note, `body` what is signed. */
export interface Checkpoint extends Tree {
  origin: string;
  text: string;
  body: string;
  signatures: readonly NoteSignature[];
}

interface NoteSignature {
  name: string;
  keyId: string;
  signature: Uint8Array<ArrayBuffer>;
}

/** Throws TypeError, or what atob throws, for a text that is not a signed checkpoint. */
export function readCheckpoint(text: string): Checkpoint {
  if (text.length > LONGEST) throw new TypeError("a long note");
  const end = text.indexOf("\n\n");
  const [origin = "", size = "", root = "", ...more] = text.slice(0, end).split("\n");
  if (end < 0 || !text.endsWith("\n") || origin === "" || more.length > 0) {
    throw new TypeError("not a note");
  }
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(size)) throw new TypeError("not a size");
  const hash = fromBase64(root);
  if (hash.length !== 32) throw new TypeError("not a root hash");
  const lines = text.slice(end + 2, -1).split("\n");
  if (lines.length > MOST_SIGNATURES) throw new TypeError("many signatures");
  return {
    origin,
    size: Number(size),
    root: hex(hash),
    text,
    body: text.slice(0, end + 1),
    signatures: lines.map(readLine),
  };
}

function readLine(line: string): NoteSignature {
  const [name = "", blob = "", ...more] = line.slice(LINE.length).split(" ");
  if (!line.startsWith(LINE) || name === "" || name.includes("+") || more.length > 0) {
    throw new TypeError("not a signature line");
  }
  const bytes = fromBase64(blob);
  if (bytes.length <= KEY_ID_BYTES) throw new TypeError("a short signature");
  const keyId = hex(bytes.subarray(0, KEY_ID_BYTES));
  return { name, keyId, signature: bytes.slice(KEY_ID_BYTES) };
}

/** The name of the log of the house with this public key, in hex. */
export async function originOf(hashing: Hashing, operatorKey: string): Promise<string> {
  return `fairdraw-${hex(await hashing.sha256(fromHex(operatorKey))).slice(0, 16)}`;
}

/** Whether the house with this public key, in hex, signed a checkpoint of its log. */
export async function isSignedBy(
  hashing: Hashing,
  checkpoint: Checkpoint,
  operatorKey: string,
): Promise<boolean> {
  const origin = await originOf(hashing, operatorKey);
  const key = fromHex(operatorKey);
  const keyId = await keyIdOf(hashing, origin, ED25519, key);
  if (checkpoint.origin !== origin) return false;
  for (const each of checkpoint.signatures) {
    if (each.name !== origin || each.keyId !== keyId) continue;
    if (await hashing.isSigned(key, utf8(checkpoint.body), each.signature)) return true;
  }
  return false;
}

/** Whether the witness with this public key, in hex, saw the log continue what it saw before. */
export async function isCosignedBy(
  hashing: Hashing,
  { signatures, body }: Checkpoint,
  witnessKey: string,
): Promise<boolean> {
  const key = fromHex(witnessKey);
  for (const { name, keyId, signature } of signatures) {
    if (keyId !== (await keyIdOf(hashing, name, COSIGNATURE, key))) continue;
    if (signature.length <= TIME_BYTES) continue;
    const time = new DataView(signature.buffer).getBigUint64(0);
    const message = utf8(`cosignature/v1\ntime ${time}\n${body}`);
    if (await hashing.isSigned(key, message, signature.slice(TIME_BYTES))) return true;
  }
  return false;
}

async function keyIdOf(
  hashing: Hashing,
  name: string,
  type: Uint8Array,
  key: Uint8Array,
): Promise<string> {
  const id = await hashing.sha256(joined(utf8(`${name}\n`), type, key));
  return hex(id.subarray(0, KEY_ID_BYTES));
}
