import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const AT_END_PX = 40;

/** Keeps a list scrolled to its end, where the newest line is, until the player scrolls up. */
export function useStickToBottom(lines: readonly unknown[]) {
  const box = useRef<HTMLElement>(null);
  const [behind, setBehind] = useState(false);
  const atEnd = useRef(true);
  const toEnd = useCallback(() => {
    atEnd.current = true;
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);
  useLayoutEffect(() => {
    if (lines.length > 0 && atEnd.current) toEnd();
  }, [lines, toEnd]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let height = element.clientHeight;
    const scrolled = () => {
      // A resize, not a scroll: handled by the observer below.
      if (element.clientHeight !== height) return;
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      atEnd.current = left < AT_END_PX;
      setBehind(!atEnd.current);
    };
    const resized = new ResizeObserver(() => {
      height = element.clientHeight;
      if (atEnd.current) toEnd();
    });
    resized.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", scrolled);
    };
  }, [toEnd]);
  return { box, behind, toEnd };
}
