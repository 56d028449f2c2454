import { call } from "../../api/client.ts";
import type { LedgerType } from "../../api/types.ts";

/** Which entries a statement is of. */
export interface Period {
  begin_date: string;
  end_date: string;
  type?: LedgerType;
}

export interface StatementFile {
  name: string;
  content: string;
  rows: number;
}

/** Joins the parts of a statement: only the first has the byte-order mark and the header. */
export function joined(contents: readonly string[]): string {
  const [first = "", ...rest] = contents;
  return first + rest.map((content) => content.slice(content.indexOf("\n") + 1)).join("");
}

/** The whole statement of a period, however many calls it takes. */
export async function readStatement(period: Period): Promise<StatementFile> {
  const contents: string[] = [];
  let rows = 0;
  let cursor: string | undefined;
  for (;;) {
    const answer = await call("user/statementCsv", { ...period, ...(cursor && { cursor }) });
    contents.push(answer.data.content);
    rows += answer.data.rows;
    if (!answer.more || !answer.cursor) {
      return { name: answer.data.name, content: joined(contents), rows };
    }
    cursor = answer.cursor;
  }
}
