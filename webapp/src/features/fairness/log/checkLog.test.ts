import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LogEntry, ProvenBet } from "../../../api/types.ts";
import { fromHex, hex } from "../crypto/encoding.ts";
import { webHashing } from "../crypto/hashing.ts";
import { continues, leafHash, rootOf } from "../crypto/merkle.ts";
import { nobleHashing } from "../crypto/nobleHashing.ts";
import {
  checkLog,
  comparePhones,
  type LogRequest,
  type LogSource,
  pastedNote,
} from "./checkLog.ts";
import { isSignedBy, readCheckpoint } from "./checkpoint.ts";
import { readEntry } from "./entry.ts";
import { keep, loadKept, type TextStore } from "./keptCheckpoints.ts";

/** The vectors that the server's and the auditors' tests use too. */
const file = join(import.meta.dirname, "../../../../../tests/engine/fairness/log_vectors.json");
const vectors = JSON.parse(readFileSync(file, "utf8"));
const { evidence } = vectors;
const FORKED: string = vectors.forked;
const [OLDER, NEWEST] = vectors.notes.slice(-2) as [string, string];
const browsers = webHashing(crypto.subtle);
const HASHINGS = [
  ["the library's", nobleHashing],
  ["the browser's", browsers],
] as const;

const bet: ProvenBet = { ...evidence.bet, status: 1 };
const POSITION = readEntry(evidence.log.entry).position;
const asked: LogRequest = {
  operatorKey: vectors.operator_key,
  witnessKey: evidence.witness_key,
  player: evidence.player,
  bets: [bet],
  now: 1_795_230_000,
};
const entry: LogEntry = { position: POSITION, entry: evidence.log.entry, batch: evidence.batch };

function flipped(value: string): string {
  return (Number.parseInt(value.slice(0, 1), 16) ^ 1).toString(16) + value.slice(1);
}

function emptyPhone(): TextStore {
  let stored: string | null = null;
  return {
    read: () => stored,
    write: (text) => {
      stored = text;
    },
  };
}

function phoneThatSaw(...notes: string[]): TextStore {
  const phone = emptyPhone();
  for (const note of notes) keep(phone, { checkpoint: readCheckpoint(note), at: asked.now - 60 });
  return phone;
}

/** A house that answers as the vectors say, except for what a test changes. */
function house(change: Partial<LogSource> = {}): LogSource {
  return {
    checkpoint: async () => NEWEST,
    consistency: async (old, now) =>
      vectors.consistency.find((each: { old: number; new: number }) => {
        return each.old === old && each.new === now;
      })?.path ?? null,
    inclusion: async () => evidence.log.path,
    entry: async () => entry,
    other: null,
    ...change,
  };
}

const checked = (source: LogSource, phone = emptyPhone(), by = asked) =>
  checkLog(nobleHashing, source, phone, by);

describe.each(HASHINGS)("with %s hashes", (_, hashing) => {
  test("leaves, roots, paths and proofs are those of the vectors", async () => {
    for (const each of vectors.leaves) {
      expect(hex(await leafHash(hashing, fromHex(each.entry)))).toBe(each.leaf);
    }
    for (const { leaf, index, size, path } of vectors.inclusion) {
      const root = await rootOf(hashing, fromHex(leaf), index, size, path);
      expect(root && hex(root)).toBe(vectors.roots[size]);
      expect(await rootOf(hashing, fromHex(leaf), index, size, [...path, leaf])).toBeNull();
    }
    for (const { old, new: now, path } of vectors.consistency) {
      const trees = [
        { size: old, root: vectors.roots[old] },
        { size: now, root: vectors.roots[now] },
      ] as const;
      expect(await continues(hashing, ...trees, path)).toBe(true);
      const forged = { size: now, root: flipped(vectors.roots[now]) };
      expect(await continues(hashing, trees[0], forged, path)).toBe(false);
      const extra = [...path, vectors.roots[1]];
      expect(await continues(hashing, ...trees, extra)).toBe(false);
    }
  });

  test("every note is the operator's, and no changed one", async () => {
    for (const text of [...vectors.notes, vectors.cosigned]) {
      const read = readCheckpoint(text);
      expect(read.root).toBe(vectors.roots[read.size]);
      expect(await isSignedBy(hashing, read, vectors.operator_key)).toBe(true);
      const larger = readCheckpoint(text.replace(/\n(\d+)\n/, "\n1$1\n"));
      expect(await isSignedBy(hashing, larger, vectors.operator_key)).toBe(false);
      expect(await isSignedBy(hashing, read, flipped(vectors.operator_key))).toBe(false);
    }
  });

  test("an own bet is in the log", async () => {
    const found = await checkLog(hashing, house(), emptyPhone(), asked);
    expect([found.state, found.verdict, found.size]).toEqual(["first", "right", 700]);
    expect(found.bets[bet.receipt.bet]).toEqual({
      verdict: "right",
      position: POSITION,
      proof: {
        entry: evidence.log.entry,
        path: evidence.log.path,
        note: NEWEST,
        batch: evidence.batch,
      },
    });
  });
});

test.each([
  ["", "\n\n"],
  ["a text", "any text"],
  ["no signatures", NEWEST.slice(0, NEWEST.indexOf("\n\n"))],
  ["a size with a zero", NEWEST.replace("\n700\n", "\n0700\n")],
  ["base64 without padding", NEWEST.replace("=\n\n", "\n\n")],
  ["a long note", NEWEST + "— a AAAAAAA=\n".repeat(9_000)],
  ["many signatures", NEWEST + "— a AAAAAAA=\n".repeat(32)],
])("%s is not a checkpoint", async (_, text) => {
  expect(() => readCheckpoint(text)).toThrow();
  const found = await checked(house({ checkpoint: async () => text }));
  expect([found.state, found.verdict]).toEqual(["unsigned", "wrong"]);
});

test.each([
  ["a short entry", evidence.log.entry.slice(2)],
  ["a long entry", `${evidence.log.entry}00`],
  ["no hex", "zz"],
  ["no UTF-8", evidence.log.entry.replace("706c61796572", "ff6c61796572")],
])("%s is not an entry", (_, text) => {
  expect(() => readEntry(text)).toThrow();
});

describe("a bet that is not in the log as its receipt says is wrong", () => {
  const receipt = (change: object) => ({ ...bet, receipt: { ...bet.receipt, ...change } });

  test.each([
    ["another player", {}, { player: "10024" }],
    ["another stake", {}, { bets: [receipt({ stake_minor: 1 })] }],
    ["another kind", {}, { bets: [receipt({ kind: "big" })] }],
    ["other odds", {}, { bets: [receipt({ odds_milli: 1 })] }],
    ["another table of odds", {}, { bets: [receipt({ odds_table: "balanced" })] }],
    ["another round", {}, { bets: [receipt({ issue: "20261121008" })] }],
    ["another game", {}, { bets: [receipt({ game: "2" })] }],
    ["another time", {}, { bets: [receipt({ at: 1 })] }],
    ["another salt", {}, { bets: [receipt({ salt: flipped(bet.receipt.salt) })] }],
    ["another bet", {}, { bets: [receipt({ bet: "1" })] }],
    ["a log without it", { entry: async () => "unknown" as const }, {}],
    ["a log without a path", { inclusion: async () => null }, {}],
    ["a short path", { inclusion: async () => evidence.log.path.slice(1) }, {}],
    ["a path of no hex", { inclusion: async () => ["zz"] }, {}],
    ["another position", { entry: async () => ({ ...entry, position: POSITION - 1 }) }, {}],
    [
      "another entry",
      { entry: async () => ({ ...entry, entry: vectors.leaves[0].entry, position: 1 }) },
      {},
    ],
    [
      "a changed entry",
      { entry: async () => ({ ...entry, entry: entry.entry.replace(/.$/, "c") }) },
      {},
    ],
  ] satisfies [string, Partial<LogSource>, Partial<LogRequest>][])("%s", async (_, answers, by) => {
    const found = await checked(house(answers), emptyPhone(), { ...asked, ...by });
    expect(found.verdict).toBe("wrong");
    expect(found.state).toBe("first");
    expect(Object.values(found.bets).map((each) => each.proof)).toEqual([null]);
  });
});

test("a cosignature counts for the day's witness alone", async () => {
  const cosigned = house({ checkpoint: async () => vectors.cosigned });
  expect((await checked(cosigned)).isCosigned).toBe(true);
  expect((await checked(house())).isCosigned).toBe(false);
  const other = { ...asked, witnessKey: vectors.operator_key };
  expect((await checked(cosigned, emptyPhone(), other)).isCosigned).toBe(false);
  const [, , , , , line = ""] = vectors.cosigned.split("\n");
  const blob = line.split(" ").at(-1) ?? "";
  const later = `${blob.slice(0, 14)}${blob[14] === "A" ? "B" : "A"}${blob.slice(15)}`;
  const forged = house({ checkpoint: async () => vectors.cosigned.replace(blob, later) });
  expect((await checked(forged)).isCosigned).toBe(false);
});

test("a bet that is not sealed yet is not wrong", async () => {
  const early = await checked(house({ entry: async () => "unsealed" }));
  expect([early.state, early.verdict]).toEqual(["first", "later"]);
  const stale = await checked(house({ checkpoint: async () => vectors.notes[0] }));
  expect([stale.state, stale.verdict]).toEqual(["first", "later"]);
});

test("a log that continues the kept one is right, whichever is newer", async () => {
  const phone = phoneThatSaw(OLDER);
  const grown = await checked(house(), phone);
  expect([grown.state, grown.verdict]).toEqual(["continues", "right"]);
  expect(grown.kept?.checkpoint.text).toBe(OLDER);
  expect(loadKept(phone).map((each) => each.checkpoint.size)).toEqual([257, 700]);
  const again = await checked(house(), phone);
  expect([again.state, again.kept?.checkpoint.size]).toEqual(["continues", 700]);
  const cached = house({ checkpoint: async () => OLDER });
  const stale = await checked(cached, phone, { ...asked, bets: [] });
  expect([stale.state, stale.verdict]).toEqual(["continues", "right"]);
  expect(loadKept(phone).map((each) => each.checkpoint.size)).toEqual([257, 700]);
});

test("two phones of a split view have different checkpoints of one size, and find it out", async () => {
  const [mine, theirs] = [phoneThatSaw(NEWEST), phoneThatSaw(FORKED)];
  expect((await checked(house(), mine)).state).toBe("continues");
  const found = await checked(house(), theirs);
  expect([found.state, found.verdict]).toEqual(["fork", "wrong"]);
  expect([found.note, found.kept?.checkpoint.text]).toEqual([NEWEST, FORKED]);
  expect(loadKept(theirs).map((each) => each.checkpoint.text)).toEqual([FORKED]);
  const compare = (pasted: string) =>
    comparePhones(nobleHashing, house(), vectors.operator_key, NEWEST, pastedNote(pasted));
  expect(await compare(FORKED.trim())).toBe("fork");
  expect(await compare(NEWEST.trim().replaceAll("\n", "\r\n"))).toBe("same");
  expect(await compare(OLDER)).toBe("same");
  expect(await compare("any text")).toBe("invalid");
  expect(await compare(NEWEST.replace("\n700\n", "\n701\n"))).toBe("invalid");
});

test.each([
  ["has no proof that it continues", { consistency: async () => null }],
  ["gives a wrong proof", { consistency: async () => [vectors.roots[1]] }],
  ["gives a proof of no hex", { consistency: async () => ["zz"] }],
  ["was cut", { checkpoint: async () => vectors.notes[2], consistency: async () => null }],
] satisfies [string, Partial<LogSource>][])("a log that %s is a fork", async (_, answers) => {
  const found = await checked(house(answers), phoneThatSaw(OLDER));
  expect([found.state, found.verdict]).toEqual(["fork", "wrong"]);
  expect(found.kept?.checkpoint.text).toBe(OLDER);
});

test.each([
  ["the other line", OLDER, NEWEST],
  ["the chosen line", NEWEST, OLDER],
])("bets are looked up in the larger log, which %s shows", async (_, chosen, other) => {
  const phone = emptyPhone();
  const lines = {
    checkpoint: async () => chosen,
    other: { ...house(), checkpoint: async () => other },
  };
  const found = await checked(house(lines), phone);
  expect([found.other?.state, found.verdict, found.note]).toEqual(["same", "right", NEWEST]);
  expect(found.bets[bet.receipt.bet]?.proof?.note).toBe(NEWEST);
  expect(loadKept(phone).map((each) => each.checkpoint.text)).toEqual([NEWEST]);
});

test("the log of another key than before is an alarm", async () => {
  const other = NEWEST.replaceAll("fairdraw-", "otherdraw-");
  const found = await checked(house(), phoneThatSaw(other));
  expect([found.state, found.verdict]).toEqual(["otherKey", "wrong"]);
});

test("a house that does not answer is no verdict", async () => {
  const silent = house({ checkpoint: () => Promise.reject(new Error("no answer")) });
  await expect(checked(silent)).rejects.toThrow("no answer");
});

test("the phone keeps the first checkpoint and the newest ones", () => {
  const phone = phoneThatSaw(...vectors.notes);
  const sizes = loadKept(phone).map((each) => each.checkpoint.size);
  expect(sizes).toEqual([1, 256, 257, 700]);
});

test.each(["{", "null", "1", '[null, 1, {"note": 1}, {"note": "x", "at": 1}]'])(
  "a phone that stored %s keeps nothing",
  (text) => {
    expect(loadKept({ read: () => text, write: () => undefined })).toEqual([]);
  },
);
