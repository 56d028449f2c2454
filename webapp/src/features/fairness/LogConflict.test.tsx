import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import fairness from "../../i18n/en/fairness.ts";
import { LogConflict } from "./LogConflict.tsx";

/** A checkpoint in form: the alarm is of checkpoints whose signatures were checked before. */
function noteOf(origin: string, size: number): string {
  const [root, signature] = [Buffer.alloc(32, size), Buffer.alloc(68)];
  const body = `${origin}\n${size}\n${root.toString("base64")}\n`;
  return `${body}\n— ${origin} ${signature.toString("base64")}\n`;
}

test.each([
  ["one size", noteOf("fairdraw-a", 7), "The two checkpoints below prove it."],
  ["two sizes", noteOf("fairdraw-a", 9), "It signed both checkpoints below."],
  ["two keys", noteOf("fairdraw-b", 9), "The first checkpoint below was signed with the earlier"],
  ["two keys and one size", noteOf("fairdraw-b", 7), "this phone cannot compare the two logs"],
])("checkpoints of %s are said to prove no more than they do", (_, shown, said) => {
  const seen = [
    { title: "kept", note: noteOf("fairdraw-a", 7) },
    { title: "shown", note: shown },
  ];
  const page = renderToStaticMarkup(
    <IntlProvider locale="en" messages={{ fairness }} timeZone="UTC">
      <LogConflict seen={seen} operatorKey="" />
    </IntlProvider>,
  );
  expect(page).toContain(said);
});
