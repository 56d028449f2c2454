import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import type { Proof } from "../../api/types.ts";
import fairness from "../../i18n/en/fairness.ts";
import { formatTime } from "../../lib/dates.ts";
import { followReasons, ProofNotes } from "./ProofNotes.tsx";

const examples = join(import.meta.dirname, "../../../../api/http/openapi/examples/lottery.json");
const example: Proof = JSON.parse(readFileSync(examples, "utf8"))["/api/Lottery/proof"].data;

/** What a reader of English is shown of a round, as HTML. */
function notesOf(proof: Proof): string {
  return renderToStaticMarkup(
    <IntlProvider locale="en" messages={{ fairness }} timeZone="UTC">
      <ProofNotes proof={proof} />
    </IntlProvider>,
  );
}

test("an overdue round is overdue since its draw was due, not since a restarted server noticed", () => {
  const since = example.draws_at + 3_600_000_000;
  const notes = notesOf({ ...example, waiting: { state: "awaiting_beacon", since } });
  expect(notes).toContain(`due since ${formatTime(example.draws_at / 1_000_000)}.`);
  expect(notes).not.toContain(formatTime(since / 1_000_000));
});

test("a round behind one that waits is not said to wait for its own witness", () => {
  const waiting = { state: "awaiting_earlier_round" as const, since: example.draws_at };
  const notes = notesOf({ ...example, waiting });
  expect(notes).toContain("It waits for an earlier round");
  expect(notes).not.toContain("its witness");
});

test.each([
  ["2026-11-22", "A new day."],
  ["2026-11-22/1", "A new segment."],
])("why %s was begun is shown as the word of the house: %s", (name, title) => {
  const signed = example.day;
  if (signed === null) throw new TypeError("an example without its day");
  const record = { ...signed.record, day: name };
  const follows = { day: "2026-11-21", reasons: ["odds_changed"] };
  const notes = notesOf({ ...example, day: { ...signed, record, follows } });
  expect(notes).toContain(`<b>${title}</b> The house says: From here on other odds apply.`);
});

test("each reason has its text, one that the page does not know is named", () => {
  expect(followReasons(["witness_behind", "odds_changed"])).toEqual([
    { text: "witness_behind", reason: "witness_behind" },
    { text: "odds_changed", reason: "odds_changed" },
  ]);
  expect(followReasons(["witness_contradicts"])).toEqual([
    { text: "witness_contradicts", reason: "witness_contradicts" },
  ]);
  expect(followReasons(["close_wrong"])).toEqual([{ text: "declined", reason: "close_wrong" }]);
  expect(followReasons(["constructor"])).toEqual([{ text: "declined", reason: "constructor" }]);
});

test("another witness is not said to have lost the records of the one before", () => {
  expect(followReasons(["day_unknown"])).toEqual([{ text: "witness_lost", reason: "day_unknown" }]);
  expect(followReasons(["day_unknown", "witness_changed"])).toEqual([
    { text: "witness_changed", reason: "witness_changed" },
  ]);
});
