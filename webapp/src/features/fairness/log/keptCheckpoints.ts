/** The checkpoints that this phone keeps, so that the house cannot show it another history. */

import { type Checkpoint, readCheckpoint } from "./checkpoint.ts";

const KEY = "fairdraw.checkpoints";
/** The first one, which is the oldest promise, and the newest ones. */
const MOST_KEPT = 4;

/** A checkpoint, and when this phone saw it, in whole seconds since the epoch. */
export interface Kept {
  checkpoint: Checkpoint;
  at: number;
}

/** Where they are stored; tests have stores of their own. */
export interface TextStore {
  read(): string | null;
  write(text: string): void;
}

/** A private window may refuse to store: then every check is a first one. */
export const PHONE: TextStore = {
  read() {
    try {
      return globalThis.localStorage?.getItem(KEY) ?? null;
    } catch {
      return null;
    }
  },
  write(text) {
    try {
      globalThis.localStorage?.setItem(KEY, text);
    } catch {
      // Nothing can be kept on this phone.
    }
  },
};

/** By size; what cannot be read is left out. */
export function loadKept(store: TextStore): Kept[] {
  return parsed(store.read())
    .flatMap(toKept)
    .sort((a, b) => a.checkpoint.size - b.checkpoint.size);
}

/** Adds a checkpoint, and forgets those between the first and the newest. */
export function keep(store: TextStore, added: Kept): void {
  const [first, ...rest] = [...loadKept(store), added];
  if (first === undefined) return;
  const kept = [first, ...rest.slice(1 - MOST_KEPT)];
  store.write(JSON.stringify(kept.map(({ checkpoint, at }) => ({ note: checkpoint.text, at }))));
}

/** Forgets all: the next check is a first one. */
export function forget(store: TextStore): void {
  store.write("[]");
}

function parsed(text: string | null): unknown[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function toKept(stored: unknown): Kept[] {
  if (typeof stored !== "object" || stored === null) return [];
  const { note, at } = stored as { note?: unknown; at?: unknown };
  if (typeof note !== "string" || typeof at !== "number") return [];
  try {
    return [{ checkpoint: readCheckpoint(note), at }];
  } catch {
    return [];
  }
}
