import { ed25519 } from "@noble/curves/ed25519.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Bytes } from "./encoding.ts";

/** Hashing without WebCrypto. A chunk of 14 kB gzipped, loaded only where the browser lacks it. */
export const nobleHashing = {
  sha256: async (message: Bytes) => Uint8Array.from(sha256(message)),
  hmac: async (key: Bytes, message: Bytes) => Uint8Array.from(hmac(sha256, key, message)),
  async isSigned(key: Bytes, message: Bytes, signature: Bytes) {
    try {
      // Strict as RFC 8032 §5.1.7: a signature and a key have one spelling each.
      return ed25519.verify(signature, message, key, { zip215: false });
    } catch {
      return false;
    }
  },
};
