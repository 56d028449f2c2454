import { isSigned } from "./ed25519.ts";
import type { Bytes } from "./encoding.ts";
import * as own from "./sha256.ts";

/** What a check needs of cryptography, whoever does it. */
export interface Hashing {
  sha256(message: Bytes): Promise<Bytes>;
  /** HMAC-SHA256. */
  hmac(key: Bytes, message: Bytes): Promise<Bytes>;
  /** Whether an Ed25519 signature under a raw public key holds. */
  isSigned(key: Bytes, message: Bytes, signature: Bytes): Promise<boolean>;
}

/** Our own, which needs nothing of the browser. */
export const ownHashing: Hashing = {
  sha256: async (message) => own.sha256(message),
  hmac: async (key, message) => own.hmac(key, message),
  isSigned: async (key, message, signature) => isSigned(key, message, signature),
};

/** The browser's, with our own signatures where it has none. */
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
        return isSigned(key, message, signature);
      }
    },
  };
}

/** `crypto.subtle` is missing on plain-http addresses of a local network. */
export function hashingHere(subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle): Hashing {
  return subtle === undefined ? ownHashing : webHashing(subtle);
}
