import { describe, expect, test, vi } from "vitest";
import { fromHex, hex, utf8 } from "./encoding.ts";
import { availableHashing, webHashing } from "./hashing.ts";
import { nobleHashing } from "./nobleHashing.ts";

const browsers = webHashing(crypto.subtle);

/** Bytes that are the same in every run, and not all alike. */
function bytes(length: number) {
  return Uint8Array.from({ length }, (_, index) => (index * 37 + length) & 255);
}

test("SHA-256 of abc and of nothing are those of the standard", async () => {
  expect(hex(await nobleHashing.sha256(utf8("abc")))).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  expect(hex(await nobleHashing.sha256(utf8("")))).toBe(
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
});

test("the library's hashes are the browser's for messages of every length around a block", async () => {
  for (let length = 0; length < 140; length++) {
    const message = bytes(length);
    const key = bytes(1 + (length % 90));
    expect(await nobleHashing.sha256(message)).toEqual(await browsers.sha256(message));
    expect(await nobleHashing.hmac(key, message)).toEqual(await browsers.hmac(key, message));
  }
});

test("a page without WebCrypto uses the library", async () => {
  expect(await availableHashing()).not.toBe(nobleHashing);
  vi.stubGlobal("crypto", {});
  expect(await availableHashing()).toBe(nobleHashing);
  vi.unstubAllGlobals();
});

test("a browser without Ed25519 checks signatures with the library", async () => {
  const [[key, message, signature]] = SIGNED;
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  const old = webHashing({ digest, importKey: () => Promise.reject(new Error()) } as never);
  expect(await old.isSigned(fromHex(key), fromHex(message), fromHex(signature))).toBe(true);
});

test.each(["0", "0g", "AB", "zz"])("%s is not hex", (text) => {
  expect(() => fromHex(text)).toThrow(TypeError);
});

/** Secret, public key, message and signature of RFC 8032 §7.1. */
const SIGNED = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
  [
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  ],
] as const;

describe.each([
  ["the library's", nobleHashing],
  ["the browser's", browsers],
])("%s signatures", (_, hashing) => {
  test.each(SIGNED)("hold for the vectors of the RFC (%s)", async (key, message, signature) => {
    const [k, m, s] = [fromHex(key), fromHex(message), fromHex(signature)] as const;
    expect(await hashing.isSigned(k, m, s)).toBe(true);
    for (const at of [0, 31, 32, 63]) {
      const wrong = s.map((byte, index) => (index === at ? byte ^ 1 : byte));
      expect(await hashing.isSigned(k, m, Uint8Array.from(wrong))).toBe(false);
    }
    expect(await hashing.isSigned(k, Uint8Array.of(...m, 0), s)).toBe(false);
  });

  test("do not hold under a key or in a form that is none", async () => {
    const [[key, , signature]] = SIGNED;
    const [k, s] = [fromHex(key), fromHex(signature)];
    expect(await hashing.isSigned(k.subarray(1), utf8(""), s)).toBe(false);
    expect(await hashing.isSigned(k, utf8(""), s.subarray(1))).toBe(false);
    expect(await hashing.isSigned(fromHex("ff".repeat(32)), utf8(""), s)).toBe(false);
  });
});

test("a signature whose number is not reduced is another spelling, and refused", async () => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const [[key, message, signature]] = SIGNED;
  const whole = fromHex(signature);
  const number = whole.slice(32).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  for (let [left, at] = [number + order, 32]; at < 64; left >>= 8n, at++) {
    whole[at] = Number(left & 255n);
  }
  expect(await nobleHashing.isSigned(fromHex(key), fromHex(message), whole)).toBe(false);
});
