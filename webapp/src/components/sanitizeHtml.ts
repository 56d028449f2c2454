/**
 * The HTML that an article may contain, here as on the server, which sanitizes it too: a few
 * tags, and links to the app or to https addresses. A module of its own, because the
 * sanitizer is loaded only where an article is opened.
 */
import DOMPurify from "dompurify";

const TAGS = [
  ...["p", "br", "hr", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "code"],
  ...["strong", "b", "em", "i", "a", "img", "table", "thead", "tbody", "tr", "th", "td"],
];
const BASE = import.meta.env.BASE_URL;
const ADDRESS = new RegExp(`^(?:https://|${BASE})`);

/** The sanitized HTML as DOM nodes. */
export function sanitizeHtml(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "src", "alt"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: ADDRESS,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const picture of fragment.querySelectorAll("img")) cleanPicture(picture);
  for (const link of fragment.querySelectorAll("a")) cleanLink(link);
  for (const table of fragment.querySelectorAll("table")) wrapTable(table);
  return fragment;
}

/** Only pictures of our own origin. */
function cleanPicture(picture: HTMLImageElement): void {
  if (!picture.getAttribute("src")?.startsWith(BASE)) picture.remove();
  picture.loading = "lazy";
  picture.alt ||= "";
}

/** An external link opens a new tab without an opener or a referrer. */
function cleanLink(link: HTMLAnchorElement): void {
  if (link.getAttribute("href")?.startsWith(BASE)) return;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
}

/** A table wider than the phone scrolls by itself. */
function wrapTable(table: HTMLTableElement): void {
  const box = document.createElement("div");
  box.dataset.wide = "";
  table.replaceWith(box);
  box.append(table);
}
