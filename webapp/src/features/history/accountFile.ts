/** Evidence of an account: the player's entries in the log, as `scripts/audit verify` reads them. */

import type { AccountFacts } from "../../api/types.ts";

const FORMAT = "fairdraw/account/v1";
/** `scripts/audit verify` reads no more of one account. */
export const MOST_ENTRIES = 5_000;
/** A phone on a slow network receives so many within the time of one attempt. */
const PAGE_ENTRIES = 200;

export interface AccountFile {
  name: string;
  content: string;
  entries: number;
}

/** How many of the file's entries are there. */
export interface Progress {
  done: number;
  total: number;
}

/** Which page of the account is requested; `size` is the tree's, that of the first page. */
export interface PageRequest {
  after: number;
  size?: number;
  limit: number;
}

/**
 * The file of the account's newest entries, however many pages they take. Rejects if the house does
 * not answer, and if its pages are not of one checkpoint.
 */
export async function readAccount(
  ask: (asked: PageRequest) => Promise<AccountFacts>,
  player: string,
  onProgress: (progress: Progress) => void,
): Promise<AccountFile> {
  const first = await ask({ after: 0, limit: PAGE_ENTRIES });
  const all = first.facts.length + first.remaining;
  const skipped = Math.max(0, all - MOST_ENTRIES);
  const total = all - skipped;
  const pages = [skipped === 0 ? first : { ...first, facts: [] }];
  for (;;) {
    const facts = pages.flatMap((page) => page.facts);
    onProgress({ done: facts.length, total });
    if (facts.length >= total) return fileOf(player, merged(pages));
    const page = await ask({
      after: skipped + facts.length,
      size: first.size,
      limit: PAGE_ENTRIES,
    });
    if (page.facts.length === 0) throw new Error("a page without entries");
    pages.push(page);
  }
}

type Checkpoint = NonNullable<AccountFacts["checkpoint"]>;

interface ProvenAccount {
  checkpoint: Checkpoint;
  facts: AccountFacts["facts"];
}

/** Joins pages. Throws unless they are of one checkpoint, and each continues the one before. */
export function merged(pages: readonly AccountFacts[]): ProvenAccount {
  const [first] = pages;
  if (!first?.checkpoint) throw new Error("no checkpoint");
  if (pages.some((page) => page.size !== first.size)) throw new Error("pages of two checkpoints");
  const facts = pages.flatMap((page) => page.facts);
  const [begin] = facts;
  if (begin === undefined) throw new Error("no entries");
  if (facts.some((fact, at) => fact.version !== begin.version + at)) {
    throw new Error("an entry is missing");
  }
  return { checkpoint: first.checkpoint, facts };
}

function fileOf(player: string, { checkpoint, facts }: ProvenAccount): AccountFile {
  const versions = [facts[0]?.version, facts.at(-1)?.version].join("-");
  const { note, operator_key, witness_key } = checkpoint;
  const evidence = {
    format: FORMAT,
    player,
    operator_key,
    witness_key,
    note,
    facts: facts.map(({ version, position, entry, leaf, path }) => ({
      version,
      position,
      entry,
      leaf,
      path,
    })),
  };
  return {
    name: `fairdraw-account-${player.replace(/\D/g, "")}-${versions}.json`,
    content: `${JSON.stringify(evidence)}\n`,
    entries: facts.length,
  };
}
