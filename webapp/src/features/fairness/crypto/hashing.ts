import { loadWithRetry } from "../../../lib/lazyWithRetry.ts";
import type { Bytes } from "./encoding.ts";

/** The cryptography that a check needs. */
export interface Hashing {
  sha256(message: Bytes): Promise<Bytes>;
  /** HMAC-SHA256. */
  hmac(key: Bytes, message: Bytes): Promise<Bytes>;
  /** Whether an Ed25519 signature under a raw public key is valid. */
  isSigned(key: Bytes, message: Bytes, signature: Bytes): Promise<boolean>;
}

async function loadNoble(): Promise<Hashing> {
  return (await loadWithRetry(() => import("./nobleHashing.ts"))).nobleHashing;
}

/** WebCrypto, with the library's signatures in a browser without Ed25519. */
export function webHashing(subtle: SubtleCrypto): Hashing {
  return {
    sha256: async (message) => new Uint8Array(await subtle.digest("SHA-256", message)),
    async hmac(key, message) {
      const algorithm = { name: "HMAC", hash: "SHA-256" };
      const imported = await subtle.importKey("raw", key, algorithm, false, ["sign"]);
      return new Uint8Array(await subtle.sign("HMAC", imported, message));
    },
    async isSigned(key, message, signature) {
      try {
        const imported = await subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
        return await subtle.verify("Ed25519", imported, signature, message);
      } catch {
        return (await loadNoble()).isSigned(key, message, signature);
      }
    },
  };
}

/** `crypto.subtle` is missing on plain-http addresses of a local network. */
export async function availableHashing(): Promise<Hashing> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  return subtle === undefined ? loadNoble() : webHashing(subtle);
}
