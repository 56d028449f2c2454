import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AccountFacts } from "../../api/types.ts";
import {
  MOST_ENTRIES,
  merged,
  type PageRequest,
  type Progress,
  readAccount,
} from "./accountFile.ts";

const EXAMPLES = join(import.meta.dirname, "../../../../api/http/openapi/examples/fair.json");
/** A page that the server's description has. */
const example: AccountFacts = JSON.parse(readFileSync(EXAMPLES, "utf8"))["/api/fair/account"].data;
const sample = example.facts[0] as AccountFacts["facts"][number];

/** A house whose log has so many entries of the player, one on every third position. */
function house(entries: number, size = 20_000) {
  const asked: PageRequest[] = [];
  const ask = async (request: PageRequest): Promise<AccountFacts> => {
    asked.push(request);
    const first = request.after + 1;
    const last = Math.min(entries, request.after + request.limit);
    const count = Math.max(0, last - first + 1);
    const facts = Array.from({ length: count }, (_, at) => ({
      ...sample,
      version: first + at,
      position: 3 * (first + at),
    }));
    return {
      size: request.size ?? size,
      checkpoint: request.size === undefined ? example.checkpoint : null,
      facts,
      remaining: entries - last,
    };
  };
  return { ask, asked };
}

const versionsIn = (content: string): number[] =>
  JSON.parse(content).facts.map(({ version }: { version: number }) => version);
const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

test("the pages of one checkpoint are one file", async () => {
  const { ask, asked } = house(450);
  const progress: Progress[] = [];
  const { name, content, entries } = await readAccount(ask, "10023", (it) => progress.push(it));
  expect([name, entries]).toEqual(["fairdraw-account-10023-1-450.json", 450]);
  expect(versionsIn(content)).toEqual(upTo(1, 450));
  expect(asked).toEqual([
    { after: 0, limit: 200 },
    { after: 200, size: 20_000, limit: 200 },
    { after: 400, size: 20_000, limit: 200 },
  ]);
  expect(progress.map(({ done }) => done)).toEqual([200, 400, 450]);
  expect(progress.every(({ total }) => total === 450)).toBe(true);
});

test("the file has exactly the fields that an auditor verifies", async () => {
  const { content } = await readAccount(house(1).ask, "10023", () => undefined);
  expect(JSON.parse(content)).toEqual({
    format: "fairdraw/account/v1",
    player: "10023",
    ...example.checkpoint,
    facts: [{ ...sample, version: 1, position: 3 }],
  });
});

test("of a long account it has the newest entries", async () => {
  const { ask, asked } = house(MOST_ENTRIES + 321);
  const { name, content, entries } = await readAccount(ask, "10023", () => undefined);
  expect([name, entries]).toEqual(["fairdraw-account-10023-322-5321.json", MOST_ENTRIES]);
  expect(versionsIn(content)).toEqual(upTo(322, 5_321));
  expect(asked[1]).toEqual({ after: 321, size: 20_000, limit: 200 });
});

test("pages of two checkpoints are no file", async () => {
  const { ask } = house(450);
  const moved = async (request: PageRequest) => {
    const page = await ask(request);
    return request.after === 400 ? { ...page, size: page.size + 1 } : page;
  };
  await expect(readAccount(moved, "10023", () => undefined)).rejects.toThrow("two checkpoints");
});

test("without an entry in between there is no file", async () => {
  const { ask } = house(3);
  const page = await ask({ after: 0, limit: 3 });
  expect(merged([page]).facts).toHaveLength(3);
  const lost = { ...page, facts: page.facts.filter(({ version }) => version !== 2) };
  expect(() => merged([lost])).toThrow("an entry is missing");
  expect(() => merged([{ ...page, checkpoint: null }])).toThrow("no checkpoint");
  expect(() => merged([{ ...page, facts: [] }])).toThrow("no entries");
});

test("a house that answers without entries is not asked for ever", async () => {
  const { ask, asked } = house(450);
  const silent = async (request: PageRequest) => {
    const page = await ask(request);
    return request.after === 0 ? page : { ...page, facts: [] };
  };
  await expect(readAccount(silent, "10023", () => undefined)).rejects.toThrow("without entries");
  expect(asked).toHaveLength(2);
});

test("what the house refuses is passed on", async () => {
  const refused = new Error("rate_limited");
  const ask = () => Promise.reject(refused);
  await expect(readAccount(ask, "10023", () => undefined)).rejects.toBe(refused);
});
