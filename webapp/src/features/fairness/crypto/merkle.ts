/** Merkle trees of RFC 9162. Sizes are beyond 32 bits in a long log: no bit operators here. */

import { type Bytes, fromHex, hex, joined } from "./encoding.ts";
import type { Hashing } from "./hashing.ts";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** A tree as a checkpoint names it; the root is hex. */
export interface Tree {
  size: number;
  root: string;
}

const half = (place: number) => Math.floor(place / 2);
const isRight = (place: number) => place % 2 === 1;

/** The leaf hash. */
export function leafHash(hashing: Hashing, entry: Bytes): Promise<Bytes> {
  return hashing.sha256(joined(LEAF, entry));
}

function nodeHash(hashing: Hashing, left: Bytes, right: Bytes): Promise<Bytes> {
  return hashing.sha256(joined(NODE, left, right));
}

/**
 * The root that a leaf and its path lead to (RFC 9162 §2.1.3.2); null for a path that proves
 * nothing, because it is of another length than the leaf's place asks for.
 */
export async function rootOf(
  hashing: Hashing,
  leaf: Bytes,
  index: number,
  size: number,
  path: readonly string[],
): Promise<Bytes | null> {
  if (!(Number.isSafeInteger(size) && Number.isInteger(index) && index >= 0 && index < size)) {
    return null;
  }
  const left = [...path];
  let node = leaf;
  for (let [place, last] = [index, size - 1]; last > 0; place = half(place), last = half(last)) {
    if (!isRight(place) && place === last) continue;
    const sibling = left.shift();
    if (sibling === undefined) return null;
    const pair = isRight(place)
      ? ([fromHex(sibling), node] as const)
      : ([node, fromHex(sibling)] as const);
    node = await nodeHash(hashing, ...pair);
  }
  return left.length === 0 ? node : null;
}

/** Whether a tree continues an older one (RFC 9162 §2.1.4.2). Throws TypeError for no hex. */
export async function continues(
  hashing: Hashing,
  old: Tree,
  now: Tree,
  path: readonly string[],
): Promise<boolean> {
  if (old.size === now.size) return old.root === now.root && path.length === 0;
  if (!(old.size > 0 && old.size < now.size) || path.length === 0) return false;
  const hashes = isPowerOfTwo(old.size) ? [old.root, ...path] : path;
  const [first, ...rest] = hashes.map(fromHex);
  if (first === undefined) return false;
  let { place, last } = aboveRights(old.size - 1, now.size - 1);
  let [older, newer] = [first, first];
  for (const node of rest) {
    if (last === 0) return false;
    if (isRight(place) || place === last) {
      older = await nodeHash(hashing, node, older);
      newer = await nodeHash(hashing, node, newer);
      ({ place, last } = aboveLefts(place, last));
    } else {
      newer = await nodeHash(hashing, newer, node);
    }
    [place, last] = [half(place), half(last)];
  }
  return hex(older) === old.root && hex(newer) === now.root && last === 0;
}

function aboveRights(from: number, end: number) {
  let [place, last] = [from, end];
  while (isRight(place)) [place, last] = [half(place), half(last)];
  return { place, last };
}

function aboveLefts(from: number, end: number) {
  let [place, last] = [from, end];
  while (place !== 0 && !isRight(place)) [place, last] = [half(place), half(last)];
  return { place, last };
}

function isPowerOfTwo(size: number): boolean {
  let rest = size;
  while (rest > 1 && !isRight(rest)) rest = half(rest);
  return rest === 1;
}
