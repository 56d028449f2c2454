/**
 * What an article may hold, on the phone as at the house, which cleans what is written: a few
 * tags, and addresses of our own pages or of the web by https. A module of its own, because the
 * cleaner is loaded only where an article is opened.
 */
import DOMPurify from "dompurify";

const TAGS = [
  ...["p", "br", "hr", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "code"],
  ...["strong", "b", "em", "i", "a", "img", "table", "thead", "tbody", "tr", "th", "td"],
];
const BASE = import.meta.env.BASE_URL;
const ADDRESS = new RegExp(`^(?:https://|${BASE})`);

/** The HTML as nodes that may stand in the page. */
export function sanitizeHtml(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "src", "alt"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: ADDRESS,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const picture of fragment.querySelectorAll("img")) settlePicture(picture);
  for (const link of fragment.querySelectorAll("a")) settleLink(link);
  for (const table of fragment.querySelectorAll("table")) settleTable(table);
  return fragment;
}

/** Pictures come from us alone. */
function settlePicture(picture: HTMLImageElement): void {
  if (!picture.getAttribute("src")?.startsWith(BASE)) picture.remove();
  picture.loading = "lazy";
  picture.alt ||= "";
}

/** A link that leaves the app opens beside it, and what it opens knows nothing of us. */
function settleLink(link: HTMLAnchorElement): void {
  if (link.getAttribute("href")?.startsWith(BASE)) return;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
}

/** A table wider than the phone scrolls by itself. */
function settleTable(table: HTMLTableElement): void {
  const box = document.createElement("div");
  box.dataset.wide = "";
  table.replaceWith(box);
  box.append(table);
}
