import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Bytes, fromHex, hex, joined, utf8 } from "./crypto/encoding.ts";
import { type Hashing, webHashing } from "./crypto/hashing.ts";
import { leafHash, rootOf } from "./crypto/merkle.ts";
import { nobleHashing } from "./crypto/nobleHashing.ts";
import { anchor, digitsOf, firstDigits, streamBlock } from "./drawDigits.ts";

/** The known answer, in the file that the engine's and Chromium's tests read too. */
const file = join(import.meta.dirname, "../../../../tests/engine/fairness/known_answer.json");
const answer = JSON.parse(readFileSync(file, "utf8"));
const PLACE = { game: answer.game, day: answer.day, i: answer.i };
const LEAVES: string[] = answer.leaves_text;
const [C_7, W_7, B, F] = [answer.c_7, answer.w_7, answer.bets, answer.f].map(fromHex) as [
  Bytes,
  Bytes,
  Bytes,
  Bytes,
];
const PUBLISHED = { operator: C_7, witness: W_7, frozen: F, beacon: new Uint8Array(33) };

function flipped(bytes: Bytes, at = 0): Bytes {
  return Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte));
}

async function heads(hashing: Hashing): Promise<Bytes[]> {
  return Promise.all(LEAVES.map((text) => leafHash(hashing, utf8(text))));
}

describe.each([
  ["the library's", nobleHashing],
  ["the browser's", webHashing(crypto.subtle)],
])("with %s hashes", (_, hashing) => {
  test("both links of the known answer lead to their published values", async () => {
    expect(hex(await anchor(hashing, "operator", PLACE, C_7))).toBe(answer.c_0);
    expect(hex(await anchor(hashing, "witness", PLACE, W_7))).toBe(answer.w_0);
  });

  test("the known answer draws its digits", async () => {
    expect(await digitsOf(hashing, PLACE, PUBLISHED)).toEqual(answer.digits);
  });

  test("another role, game, day, place or bit breaks a link", async () => {
    const others = [
      anchor(hashing, "witness", PLACE, C_7),
      anchor(hashing, "operator", { ...PLACE, game: "2" }, C_7),
      anchor(hashing, "operator", { ...PLACE, day: "2026-11-21/1" }, C_7),
      anchor(hashing, "operator", { ...PLACE, i: 6 }, C_7),
      anchor(hashing, "operator", PLACE, flipped(C_7, 31)),
    ];
    for (const other of others) expect(hex(await other)).not.toBe(answer.c_0);
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
    const [a, b, c, d, e] = (await heads(hashing)) as [Bytes, Bytes, Bytes, Bytes, Bytes];
    const node = (left: Bytes, right: Bytes) =>
      hashing.sha256(joined(Uint8Array.of(1), left, right));
    const [ab, cd] = [await node(a, b), await node(c, d)];
    const abcd = await node(ab, cd);
    expect(await rootOf(hashing, a, 0, 5, [hex(b), hex(cd), hex(e)])).toEqual(B);
    expect(await hashing.sha256(joined(utf8(answer.frozen_prefix_text), B))).toEqual(F);
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
