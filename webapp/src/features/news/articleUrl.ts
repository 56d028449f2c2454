import type { Article } from "../../api/types.ts";

/** What an article's address holds of it, as JSON. */
export type Item = Pick<Article, "id" | "title" | "content" | "createtime">;

/** Some proxies cut a longer address; content that does not fit is fetched. */
const LONGEST_ADDRESS = 4_000;

/** /aticleDetail with the article as JSON; without its content where that is too long. */
export function articlePath({ id, title, content, createtime }: Item): string {
  const pathOf = (item: Partial<Item>) =>
    `/aticleDetail?${new URLSearchParams({ item: JSON.stringify(item) })}`;
  const whole = pathOf({ id, title, content, createtime });
  return whole.length <= LONGEST_ADDRESS ? whole : pathOf({ id, title, createtime });
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** The article in an address, which is untrusted; null without an id. */
export function readItem(query: URLSearchParams): Item | null {
  const said = parsed(query.get("item"));
  const id = textIn(said.id) || (Number.isSafeInteger(said.id) ? String(said.id) : "");
  const wanted = id || (query.get("id") ?? "");
  if (wanted === "") return null;
  const at = Number.isSafeInteger(said.createtime) ? Number(said.createtime) : 0;
  return { id: wanted, title: textIn(said.title), content: textIn(said.content), createtime: at };
}

function parsed(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
