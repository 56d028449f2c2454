import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import styles from "./RichText.module.css";
import { Skeleton } from "./Skeleton.tsx";

/** The words of some HTML without its marks; nothing in it is loaded or run. */
export function wordsOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const hidden of body.querySelectorAll("script, style, template")) hidden.remove();
  return body.textContent.replace(/\s+/g, " ").trim();
}

async function nodesOf(html: string): Promise<Node> {
  try {
    return (await import("./sanitizeHtml.ts")).sanitizeHtml(html);
  } catch {
    // Without the cleaner there are words still, and no marks.
    return document.createTextNode(wordsOf(html));
  }
}

/** HTML of staff's, cleaned before it stands in the page; links to our pages stay in the app. */
export function RichText({ html }: { html: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<string | null>(null);
  const navigate = useNavigate();
  useEffect(() => {
    let wanted = true;
    void nodesOf(html).then((nodes) => {
      if (!wanted) return;
      box.current?.replaceChildren(nodes);
      setShown(html);
    });
    return () => {
      wanted = false;
    };
  }, [html]);
  useEffect(() => {
    const element = box.current;
    const pressed = (press: MouseEvent) => {
      const path = ownPath(press);
      if (path === null) return;
      press.preventDefault();
      navigate(path);
    };
    element?.addEventListener("click", pressed);
    return () => element?.removeEventListener("click", pressed);
  }, [navigate]);
  return (
    <>
      {shown === null && <Skeleton />}
      <div ref={box} className={styles.text} hidden={shown === null} />
    </>
  );
}

/** Where a plain press on a link within the app leads; null for any other press. */
function ownPath(press: MouseEvent): string | null {
  const link = press.target instanceof Element ? press.target.closest("a") : null;
  if (!link || link.target || press.ctrlKey || press.metaKey || press.shiftKey) return null;
  const { origin, pathname, search, hash } = new URL(link.href, location.href);
  const base = import.meta.env.BASE_URL;
  if (origin !== location.origin || !pathname.startsWith(base)) return null;
  return `/${pathname.slice(base.length)}${search}${hash}`;
}
