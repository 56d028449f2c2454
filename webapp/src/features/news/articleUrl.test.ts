import { expect, test } from "vitest";
import { articlePath, readItem } from "./articleUrl.ts";

const item = { id: "limits", title: "“A” & B", content: "<p>50 % + more?</p>", createtime: 1_700 };
const queryOf = (path: string) => new URLSearchParams(path.slice(path.indexOf("?")));

test("an article's address holds it whole", () => {
  expect(readItem(queryOf(articlePath(item)))).toEqual(item);
});

test("an address stays short: long content is left out, in any script", () => {
  const path = articlePath({ ...item, content: `<p>${"长".repeat(2_000)}</p>` });
  expect(path.length).toBeLessThan(1_000);
  expect(readItem(queryOf(path))).toEqual({ ...item, content: "" });
});

test("a bare id is enough, as a word or a number", () => {
  expect(readItem(new URLSearchParams("id=limits"))?.id).toBe("limits");
  expect(readItem(new URLSearchParams({ item: '{"id":7}' }))?.id).toBe("7");
});

test("nonsense in the address is no article", () => {
  const nonsense = ["", "null", "{", "[]", "7", '"x"', '{"id":{}}', '{"id":null}', '{"id":1e99}'];
  for (const text of nonsense) expect(readItem(new URLSearchParams({ item: text }))).toBeNull();
  expect(readItem(new URLSearchParams())).toBeNull();
});

test("parts of the wrong kind are left out", () => {
  const text = '{"id":"a","title":{"x":1},"content":[1],"createtime":"yesterday"}';
  const read = readItem(new URLSearchParams({ item: text }));
  expect(read).toEqual({ id: "a", title: "", content: "", createtime: 0 });
});
