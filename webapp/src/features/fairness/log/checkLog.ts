/** Checks that the log has the player's own bets, continues what was seen, and is one on both lines. */

import type { LogEntry, ProvenBet } from "../../../api/types.ts";
import { fromHex, hex } from "../crypto/encoding.ts";
import type { Hashing } from "../crypto/hashing.ts";
import { continues, leafHash, rootOf, type Tree } from "../crypto/merkle.ts";
import { type Verdict, wholeOf } from "../verdict.ts";
import { type Checkpoint, isCosignedBy, isSignedBy, readCheckpoint } from "./checkpoint.ts";
import { isBetOf, readEntry } from "./entry.ts";
import { type Kept, keep, loadKept, type TextStore } from "./keptCheckpoints.ts";

/** More bets of one round are not looked up in the log: two requests each. */
export const MOST_BETS = 30;

/** The log's tree as one line shows it. Each rejects if the line does not answer. */
export interface PublicLog {
  checkpoint(): Promise<string>;
  /** null where the house has no such proof. */
  consistency(old: number, now: number): Promise<readonly string[] | null>;
  inclusion(position: number, size: number): Promise<readonly string[] | null>;
}

/** What the house answers over the chosen line. Each rejects if it does not answer. */
export interface LogSource extends PublicLog {
  /** null where both lines have one address. */
  other: PublicLog | null;
  /** "unsealed" is too early, "unknown" that the log has no such bet. */
  entry(bet: string): Promise<LogEntry | "unsealed" | "unknown">;
}

/** Whose log is checked: the keys sign the day's terms, in hex. */
export interface LogRequest {
  operatorKey: string;
  witnessKey: string;
  player: string;
  bets: readonly ProvenBet[];
  /** Whole seconds since the epoch. */
  now: number;
}

/**
 * - first: this phone had kept no checkpoint.
 * - continues: the log continues the one that this phone kept.
 * - unsigned: what the house shows is not a checkpoint that it signed.
 * - split: it shows different logs over its two lines.
 * - fork: it shows another log than before, or a shorter one.
 * - otherKey: it shows the log of another key than before.
 */
export type LogState = "first" | "continues" | "unsigned" | "split" | "fork" | "otherKey";

/** What the other line shows, compared with what the chosen one shows. */
export interface OtherLine {
  /**
   * - unsigned: it shows a checkpoint that the house did not sign.
   * - unanswered: it did not answer with a checkpoint, so that nothing was compared.
   */
  state: "same" | "split" | "unsigned" | "unanswered";
  /** Its checkpoint, as it came; empty without an answer. */
  note: string;
}

/** A bet in the log: what proves that it is there. */
export interface LoggedBet {
  verdict: Verdict;
  position: number;
  proof: LogProof | null;
}

export interface LogProof {
  entry: string;
  path: readonly string[];
  note: string;
  batch: LogEntry["batch"];
}

export interface CheckedLog {
  state: LogState;
  verdict: Verdict;
  /** The checkpoint shown now, as it came: the larger one if both lines show the same log. */
  note: string;
  /** null where both lines have one address. */
  other: OtherLine | null;
  size: number;
  /** Whether the witness of the day signed the checkpoint too. */
  isCosigned: boolean;
  /** The kept checkpoint with which it was compared. */
  kept: Kept | null;
  /** By the bet's id. */
  bets: Readonly<Record<string, LoggedBet>>;
}

/** Rejects if the house does not answer over the chosen line. */
export async function checkLog(
  hashing: Hashing,
  source: LogSource,
  store: TextStore,
  asked: LogRequest,
): Promise<CheckedLog> {
  const view = await viewOf(hashing, source, asked.operatorKey);
  const { note, shown, other } = view;
  const isCosigned = shown !== null && (await isCosignedBy(hashing, shown, asked.witnessKey));
  const nothing = { note, other, size: shown?.size ?? 0, isCosigned, bets: {}, kept: null };
  if (shown === null || other?.state === "unsigned") {
    return { ...nothing, state: "unsigned", verdict: "wrong" };
  }
  if (other?.state === "split") return { ...nothing, state: "split", verdict: "wrong" };
  const kept = loadKept(store);
  for (const each of [...kept].reverse()) {
    const state = await compared(hashing, view.tree, each.checkpoint, shown);
    if (state !== "continues") return { ...nothing, state, verdict: "wrong", kept: each };
  }
  const newest = kept.at(-1) ?? null;
  if (newest === null || newest.checkpoint.size < shown.size) {
    keep(store, { checkpoint: shown, at: asked.now });
  }
  const bets: Record<string, LoggedBet> = {};
  for (const bet of asked.bets.slice(0, MOST_BETS)) {
    bets[bet.receipt.bet] = await loggedBet(
      hashing,
      { entry: source.entry, inclusion: view.tree.inclusion },
      shown,
      bet,
      asked.player,
    );
  }
  const verdict = wholeOf(Object.values(bets).map((bet) => bet.verdict));
  return { ...nothing, state: newest ? "continues" : "first", verdict, kept: newest, bets };
}

/** The log that a phone is shown: its checkpoint, and the tree that proves what is in it. */
interface View {
  note: string;
  /** null if the house did not sign the note. */
  shown: Checkpoint | null;
  tree: PublicLog;
  other: OtherLine | null;
}

/**
 * What both lines show. If the other line shows more of the same log, that is what is checked: a
 * short view over the chosen line must not leave out what the phone can compare.
 */
async function viewOf(hashing: Hashing, source: LogSource, operatorKey: string): Promise<View> {
  const [note, others] = await Promise.all([source.checkpoint(), noteOf(source.other)]);
  const shown = await signedCheckpoint(hashing, note, operatorKey);
  const view = { note, shown, tree: source };
  if (source.other === null || shown === null) return { ...view, other: null };
  if (others === null) return { ...view, other: { state: "unanswered", note: "" } };
  const second = await signedCheckpoint(hashing, others, operatorKey);
  if (second === null) return { ...view, other: { state: "unsigned", note: others } };
  // Only the line with the larger tree is certain to have both.
  const larger = second.size > shown.size ? source.other : source;
  const found = await compared(hashing, larger, second, shown).catch(() => null);
  if (found === null) return { ...view, other: { state: "unanswered", note: others } };
  if (found !== "continues") return { ...view, other: { state: "split", note: others } };
  const other = { state: "same", note: others } as const;
  if (larger === source) return { ...view, other };
  return { note: others, shown: second, tree: larger, other };
}

/**
 * The note of a line; null if it does not answer with one. A proxy's or a network's own page in its
 * place is no answer of the house: an alarm would be false, and a dishonest house can stay silent.
 */
async function noteOf(line: PublicLog | null): Promise<string | null> {
  try {
    return line && readCheckpoint(await line.checkpoint()).text;
  } catch {
    return null;
  }
}

/** The checkpoint of a text that the house signed; null for any other text. */
async function signedCheckpoint(
  hashing: Hashing,
  text: string,
  operatorKey: string,
): Promise<Checkpoint | null> {
  try {
    const read = readCheckpoint(text);
    return (await isSignedBy(hashing, read, operatorKey)) ? read : null;
  } catch {
    return null;
  }
}

/** Whether two checkpoints are of one log, whichever is the newer one. */
async function compared(
  hashing: Hashing,
  source: PublicLog,
  seen: Checkpoint,
  shown: Checkpoint,
): Promise<"continues" | "fork" | "otherKey"> {
  if (seen.origin !== shown.origin) return "otherKey";
  const [old, now] = seen.size <= shown.size ? [seen, shown] : [shown, seen];
  return (await isOneLog(hashing, source, old, now)) ? "continues" : "fork";
}

async function isOneLog(hashing: Hashing, source: PublicLog, old: Tree, now: Tree) {
  const path = old.size === now.size ? [] : await source.consistency(old.size, now.size);
  try {
    return path !== null && (await continues(hashing, old, now, path));
  } catch {
    return false;
  }
}

async function loggedBet(
  hashing: Hashing,
  source: Pick<LogSource, "entry" | "inclusion">,
  shown: Checkpoint,
  bet: ProvenBet,
  player: string,
): Promise<LoggedBet> {
  const found = await source.entry(bet.receipt.bet);
  const without = { position: 0, proof: null };
  if (found === "unknown") return { ...without, verdict: "wrong" };
  if (found === "unsealed" || found.position > shown.size) return { ...without, verdict: "later" };
  const { position, entry, batch } = found;
  const path = await source.inclusion(position, shown.size);
  const isThere = path !== null && (await isIn(hashing, shown, entry, position, path, bet, player));
  if (path === null || !isThere) return { position, proof: null, verdict: "wrong" };
  return { position, proof: { entry, path, note: shown.text, batch }, verdict: "right" };
}

/** Whether these bytes are the bet, and the leaf at this position of the log. */
async function isIn(
  hashing: Hashing,
  { size, root }: Tree,
  entry: string,
  position: number,
  path: readonly string[],
  bet: ProvenBet,
  player: string,
): Promise<boolean> {
  try {
    const read = readEntry(entry);
    if (read.position !== position || !isBetOf(read, bet, player)) return false;
    const leaf = await leafHash(hashing, fromHex(entry));
    const reached = await rootOf(hashing, leaf, position - 1, size, path);
    return reached !== null && hex(reached) === root;
  } catch {
    return false;
  }
}

/** The result of comparing what two phones see. */
export type Comparison = "same" | "invalid" | "fork";

/** A pasted note: a message or a clipboard changes line breaks, and removes the last one. */
export function pastedNote(text: string): string {
  return `${text.replaceAll("\r\n", "\n").trim()}\n`;
}

/**
 * Compares a checkpoint that another phone shows with this phone's. Rejects if the house does not
 * answer.
 */
export async function comparePhones(
  hashing: Hashing,
  source: PublicLog,
  operatorKey: string,
  mine: string,
  others: string,
): Promise<Comparison> {
  const other = await signedCheckpoint(hashing, others, operatorKey);
  const own = await signedCheckpoint(hashing, mine, operatorKey);
  if (other === null || own === null) return "invalid";
  return (await compared(hashing, source, other, own)) === "continues" ? "same" : "fork";
}
