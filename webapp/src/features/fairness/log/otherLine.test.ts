import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { nobleHashing } from "../crypto/nobleHashing.ts";
import { checkLog, type PublicLog } from "./checkLog.ts";
import { originOf, readCheckpoint } from "./checkpoint.ts";
import { keep, loadKept, type TextStore } from "./keptCheckpoints.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const RAW_KEY = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
const KEY = RAW_KEY.toString("hex");
const ORIGIN = await originOf(nobleHashing, KEY);

const HISTORY = ["a", "b", "c", "d", "e", "f", "g"];
/** The same, except for its fifth entry. */
const OTHER_HISTORY = HISTORY.with(4, "x");

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The largest power of two below a size of at least 2. */
const leftOf = (size: number) => 2 ** Math.floor(Math.log2(size - 1));

/** The root of a tree as RFC 9162 has it. */
function rootOf(entries: readonly string[]): Buffer {
  if (entries.length === 1) return sha256(Uint8Array.of(0), entries[0] ?? "");
  const left = leftOf(entries.length);
  return sha256(Uint8Array.of(1), rootOf(entries.slice(0, left)), rootOf(entries.slice(left)));
}

/** That a tree continues its first `old` entries, as RFC 9162 has it. */
function proofOf(old: number, entries: readonly string[], isWhole = true): string[] {
  if (old === entries.length) return isWhole ? [] : [rootOf(entries).toString("hex")];
  const left = leftOf(entries.length);
  const [first, rest] = [entries.slice(0, left), entries.slice(left)];
  return old <= left
    ? [...proofOf(old, first, isWhole), rootOf(rest).toString("hex")]
    : [...proofOf(old - left, rest, false), rootOf(first).toString("hex")];
}

/** The checkpoint that the house signs over all these entries. */
function noteOf(entries: readonly string[]): string {
  const body = `${ORIGIN}\n${entries.length}\n${rootOf(entries).toString("base64")}\n`;
  const id = sha256(`${ORIGIN}\n`, Uint8Array.of(1), RAW_KEY).subarray(0, 4);
  const signed = Buffer.concat([id, sign(null, Buffer.from(body), privateKey)]);
  return `${body}\n— ${ORIGIN} ${signed.toString("base64")}\n`;
}

/** A line that shows the first `size` entries of a history, and proves what it can. */
function line(history: readonly string[], size: number, change: Partial<PublicLog> = {}) {
  return {
    checkpoint: async () => noteOf(history.slice(0, size)),
    consistency: async (old: number, now: number) =>
      now <= history.length ? proofOf(old, history.slice(0, now)) : null,
    inclusion: async () => null,
    ...change,
  };
}

function phoneThatSaw(...notes: string[]): TextStore {
  let stored: string | null = null;
  const phone: TextStore = {
    read: () => stored,
    write: (text) => {
      stored = text;
    },
  };
  for (const note of notes) keep(phone, { checkpoint: readCheckpoint(note), at: 0 });
  return phone;
}

function checked(chosen: PublicLog, other: PublicLog | null, phone = phoneThatSaw()) {
  const source = { ...chosen, other, entry: async () => "unknown" as const };
  const asked = { operatorKey: KEY, witnessKey: KEY, player: "1", bets: [], now: 60 };
  return checkLog(nobleHashing, source, phone, asked);
}

const notesIn = (phone: TextStore) => loadKept(phone).map((each) => each.checkpoint.text);

test.each([
  ["as many entries", 7, 7],
  ["fewer entries", 7, 3],
  ["more entries", 5, 7],
])("a line that shows %s of one log shows the same log", async (_, mine, others) => {
  const phone = phoneThatSaw(noteOf(HISTORY.slice(0, 2)));
  const found = await checked(line(HISTORY, mine), line(HISTORY, others), phone);
  expect([found.other?.state, found.state, found.verdict]).toEqual(["same", "continues", "right"]);
  expect([found.note, found.size]).toEqual([noteOf(HISTORY), 7]);
  expect(notesIn(phone)).toEqual([noteOf(HISTORY.slice(0, 2)), noteOf(HISTORY)]);
});

describe("a split view is found, and none of it is kept", () => {
  const NONE = { consistency: async () => null };

  test.each([
    ["of one size", line(HISTORY, 7), line(OTHER_HISTORY, 7)],
    ["with more entries on the other line", line(HISTORY, 6), line(OTHER_HISTORY, 7)],
    ["with fewer entries on the other line", line(HISTORY, 7), line(OTHER_HISTORY, 5)],
    ["of a line that proves nothing", line(HISTORY, 5), line(HISTORY, 7, NONE)],
  ])("%s", async (_, chosen, other) => {
    const phone = phoneThatSaw();
    const found = await checked(chosen, other, phone);
    expect([found.state, found.other?.state, found.verdict]).toEqual(["split", "split", "wrong"]);
    const shown = await Promise.all([chosen.checkpoint(), other.checkpoint()]);
    expect([found.note, found.other?.note]).toEqual(shown);
    expect(notesIn(phone)).toEqual([]);
  });
});

test("a short view over the chosen line hides no fork between the kept log and the other line", async () => {
  const seen = noteOf(OTHER_HISTORY.slice(0, 6));
  // The chosen line shows what both histories have, so that it agrees with either.
  const chosen = line(OTHER_HISTORY, 4);
  expect((await checked(chosen, null, phoneThatSaw(seen))).state).toBe("continues");
  const found = await checked(chosen, line(HISTORY, 7), phoneThatSaw(seen));
  expect([found.other?.state, found.state, found.verdict]).toEqual(["same", "fork", "wrong"]);
  expect([found.kept?.checkpoint.text, found.note]).toEqual([seen, noteOf(HISTORY)]);
});

test("a line that shows a checkpoint that the house did not sign is wrong", async () => {
  // The root is of another log than the one whose checkpoint was signed.
  const root = rootOf(OTHER_HISTORY).toString("base64");
  const forged = noteOf(HISTORY).replace(rootOf(HISTORY).toString("base64"), root);
  const other = line(HISTORY, 7, { checkpoint: async () => forged });
  const found = await checked(line(HISTORY, 7), other);
  expect([found.state, found.other?.state, found.verdict]).toEqual([
    "unsigned",
    "unsigned",
    "wrong",
  ]);
});

test.each([
  ["a checkpoint", { checkpoint: () => Promise.reject(new Error("no answer")) }],
  ["a checkpoint but with a page", { checkpoint: async () => "<html>\n\nMaintenance\n</html>\n" }],
  ["a proof", { consistency: () => Promise.reject(new Error("no answer")) }],
])("a line that does not answer with %s says nothing about the log", async (_, silent) => {
  const found = await checked(line(HISTORY, 5), line(HISTORY, 7, silent));
  expect([found.other?.state, found.state, found.verdict]).toEqual([
    "unanswered",
    "first",
    "right",
  ]);
  expect(found.note).toBe(noteOf(HISTORY.slice(0, 5)));
});

test("nothing is compared where both lines are one address", async () => {
  const found = await checked(line(HISTORY, 7), null);
  expect([found.other, found.state, found.verdict]).toEqual([null, "first", "right"]);
});
