import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { Skeleton } from "./Placeholder.tsx";
import styles from "./RichText.module.css";

/** The plain text of HTML, extracted without loading or running anything in it. */
export function wordsOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const hidden of body.querySelectorAll("script, style, template")) hidden.remove();
  return body.textContent.replace(/\s+/g, " ").trim();
}

async function nodesOf(html: string): Promise<Node> {
  try {
    return (await import("./sanitizeHtml.ts")).sanitizeHtml(html);
  } catch {
    // Without the sanitizer, show plain text.
    return document.createTextNode(wordsOf(html));
  }
}

/** Sanitized HTML written by staff; links to pages of the app navigate within it. */
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

/** The route of a plain click on a link into the app; null for any other click. */
function ownPath(press: MouseEvent): string | null {
  const link = press.target instanceof Element ? press.target.closest("a") : null;
  if (!link || link.target || press.ctrlKey || press.metaKey || press.shiftKey) return null;
  const { origin, pathname, search, hash } = new URL(link.href, location.href);
  const base = import.meta.env.BASE_URL;
  if (origin !== location.origin || !pathname.startsWith(base)) return null;
  return `/${pathname.slice(base.length)}${search}${hash}`;
}
