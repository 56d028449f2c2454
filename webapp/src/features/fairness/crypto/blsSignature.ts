import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { Bytes } from "./encoding.ts";

const TAGS = {
  G1: "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_",
  G2: "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_",
};

/**
 * Whether a compressed BLS signature in `group` is valid; its key is in the other group. A chunk of
 * 28 kB gzipped, loaded only for a draw with a beacon.
 */
export function isBlsSigned(
  group: "G1" | "G2",
  key: Bytes,
  message: Bytes,
  signature: Bytes,
): boolean {
  try {
    if (group === "G1") {
      const { shortSignatures } = bls12_381;
      return shortSignatures.verify(signature, shortSignatures.hash(message, TAGS.G1), key);
    }
    const { longSignatures } = bls12_381;
    return longSignatures.verify(signature, longSignatures.hash(message, TAGS.G2), key);
  } catch {
    return false;
  }
}
