import { type ReactNode, useState } from "react";
import { useLocation } from "react-router";
import { preload } from "./pages.ts";
import { type Slide, slideBetween } from "./paths.ts";
import styles from "./Slides.module.css";

/** Slides each page in from the side that its place in the route order gives. */
export function Slides({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  const [shown, setShown] = useState<{ pathname: string; slide: Slide }>({
    pathname,
    slide: "none",
  });
  if (shown.pathname !== pathname) {
    setShown({ pathname, slide: slideBetween(shown.pathname, pathname) });
  }
  return (
    <div
      key={pathname}
      onPointerDown={(press) => preload(press.target)}
      className={styles.slide}
      data-from={shown.slide}
    >
      {children}
    </div>
  );
}
