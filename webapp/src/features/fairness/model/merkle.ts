import { type Bytes, fromHex, joined } from "../crypto/bytes.ts";
import type { Hashing } from "../crypto/hashing.ts";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The hash by which an entry stands in a tree of RFC 9162. */
export function leafHash(hashing: Hashing, entry: Bytes): Promise<Bytes> {
  return hashing.sha256(joined(LEAF, entry));
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
  if (!(Number.isInteger(index) && index >= 0 && index < size)) return null;
  const left = [...path];
  let node = leaf;
  for (let [place, last] = [index, size - 1]; last > 0; place >>= 1, last >>= 1) {
    const isRight = place % 2 === 1;
    if (!isRight && place === last) continue;
    const sibling = left.shift();
    if (sibling === undefined) return null;
    const pair = isRight ? [fromHex(sibling), node] : [node, fromHex(sibling)];
    node = await hashing.sha256(joined(NODE, ...pair));
  }
  return left.length === 0 ? node : null;
}
