import { describe, expect, test } from "vitest";
import { type Bytes, fromHex, hex, joined, utf8 } from "./crypto/encoding.ts";
import { type Hashing, webHashing } from "./crypto/hashing.ts";
import { leafHash, rootOf } from "./crypto/merkle.ts";
import { nobleHashing } from "./crypto/nobleHashing.ts";
import { anchor, digitsOf, firstDigits, streamBlock } from "./drawDigits.ts";

/** The known answer that the engine's own tests hold as well (tests/engine/fairness). */
const PLACE = { game: "1", day: "2026-11-21", i: 7 };
const C_0 = "695db856ef228c3f7627d5a4bc9276df10005634c261546493f98e06da79f82b";
const W_0 = "5aaedebbfe684baba667f8299d879fa92201e8a01fd04b5859265eef293cac14";
const C_7 = fromHex("74a9c66e9ed7b689fd93191a18ab98b29fa0d846af706d7eff44ef473cea6a80");
const W_7 = fromHex("5b52f9822af106aa4119d6c924a10b3c4b64fe20ec15a9e790d25071760d8c32");
const B = fromHex("7802e654bcbb4c98df53323cbe3c9df5923311fc417355144afad8b29cc5b411");
const F = fromHex("fe30f9e6eeba7617fb6086fcca0b11a03fc34f959b87cf72798d31bb6b652428");
const PUBLISHED = { operator: C_7, witness: W_7, frozen: F, beacon: new Uint8Array(33) };

function flipped(bytes: Bytes, at = 0): Bytes {
  return Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte));
}

async function heads(hashing: Hashing, size: number): Promise<Bytes[]> {
  return Promise.all(
    Array.from({ length: size }, (_, index) => leafHash(hashing, utf8(`bet-${index}`))),
  );
}

describe.each([
  ["the library's", nobleHashing],
  ["the browser's", webHashing(crypto.subtle)],
])("with %s hashes", (_, hashing) => {
  test("both links of the known answer lead to their published values", async () => {
    expect(hex(await anchor(hashing, "operator", PLACE, C_7))).toBe(C_0);
    expect(hex(await anchor(hashing, "witness", PLACE, W_7))).toBe(W_0);
  });

  test("the known answer draws 1, 2, 1", async () => {
    expect(await digitsOf(hashing, PLACE, PUBLISHED)).toEqual([1, 2, 1]);
  });

  test("another role, game, day, place or bit breaks a link", async () => {
    const others = [
      anchor(hashing, "witness", PLACE, C_7),
      anchor(hashing, "operator", { ...PLACE, game: "2" }, C_7),
      anchor(hashing, "operator", { ...PLACE, day: "2026-11-21/1" }, C_7),
      anchor(hashing, "operator", { ...PLACE, i: 6 }, C_7),
      anchor(hashing, "operator", PLACE, flipped(C_7, 31)),
    ];
    for (const other of others) expect(hex(await other)).not.toBe(C_0);
  });

  test("one flipped bit of any input changes the stream", async () => {
    const right = hex(await streamBlock(hashing, PLACE, PUBLISHED, 0));
    const others = [
      streamBlock(hashing, PLACE, { ...PUBLISHED, operator: flipped(C_7) }, 0),
      streamBlock(hashing, PLACE, { ...PUBLISHED, witness: flipped(W_7) }, 0),
      streamBlock(hashing, PLACE, { ...PUBLISHED, frozen: flipped(F) }, 0),
      streamBlock(hashing, PLACE, { ...PUBLISHED, beacon: flipped(PUBLISHED.beacon) }, 0),
      streamBlock(hashing, PLACE, { ...PUBLISHED, beacon: flipped(PUBLISHED.beacon, 32) }, 0),
      streamBlock(hashing, { ...PLACE, i: 6 }, PUBLISHED, 0),
      streamBlock(hashing, PLACE, PUBLISHED, 1),
    ];
    for (const other of others) expect(hex(await other)).not.toBe(right);
  });

  test("the known frozen set is the tree of its five bets, and each path leads to it", async () => {
    const [a, b, c, d, e] = (await heads(hashing, 5)) as [Bytes, Bytes, Bytes, Bytes, Bytes];
    const node = (left: Bytes, right: Bytes) =>
      hashing.sha256(joined(Uint8Array.of(1), left, right));
    const [ab, cd] = [await node(a, b), await node(c, d)];
    const abcd = await node(ab, cd);
    expect(await rootOf(hashing, a, 0, 5, [hex(b), hex(cd), hex(e)])).toEqual(B);
    expect(await rootOf(hashing, d, 3, 5, [hex(c), hex(ab), hex(e)])).toEqual(B);
    expect(await rootOf(hashing, e, 4, 5, [hex(abcd)])).toEqual(B);
    expect(await rootOf(hashing, e, 4, 5, [hex(abcd), hex(a)])).toBeNull();
    expect(await rootOf(hashing, d, 3, 5, [hex(c), hex(ab)])).toBeNull();
    expect(await rootOf(hashing, a, 5, 5, [])).toBeNull();
    expect(await rootOf(hashing, a, 1, 5, [hex(b), hex(cd), hex(e)])).not.toEqual(B);
  });
});

test("a byte above 249 is passed over, into the next block if need be", async () => {
  const blocks = [Uint8Array.of(255, 250, 249), Uint8Array.of(251, 10, 7)];
  const asked: number[] = [];
  const digits = await firstDigits(async (block) => {
    asked.push(block);
    return blocks[block] ?? Uint8Array.of();
  });
  expect(digits).toEqual([9, 0, 7]);
  expect(asked).toEqual([0, 1]);
});
