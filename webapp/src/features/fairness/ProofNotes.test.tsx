import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import type { Proof } from "../../api/types.ts";
import fairness from "../../i18n/en/fairness.ts";
import { formatTime } from "../../lib/dates.ts";
import { ProofNotes } from "./ProofNotes.tsx";

const examples = join(import.meta.dirname, "../../../../api/http/openapi/examples/lottery.json");
const example: Proof = JSON.parse(readFileSync(examples, "utf8"))["/api/Lottery/proof"].data;

/** What a reader of English is told of a round, as HTML. */
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
