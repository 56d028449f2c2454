import { type ReactNode, useState } from "react";
import { useLocation } from "react-router";
import { preload } from "./lazyPages.ts";
import styles from "./PageTransition.module.css";

/** Slides each page in from the left or right, by the route order. */
export function PageTransition({ children }: { children: ReactNode }) {
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

/** Every route, in the order by which pages slide: a later one comes in from the right. */
const ROUTE_ORDER: readonly string[] = [
  "",
  "login",
  "register",
  "language",
  "lottery",
  "lotterytwo",
  "lotterythree",
  "find",
  "betroom",
  "lotterydetail",
  "lotteryexplain",
  "trendchart",
  "personal",
  "setting",
  "changeline",
  "about",
  "system",
  "baseinfo",
  "defaultavatar",
  "bankcardmanage",
  "addbankcard",
  "addvirtualwallet",
  "setsecuritycode",
  "changepassword",
  "actioncenter",
  "sharefriend",
  "notice",
  "betrecord",
  "betdetail",
  "capitaldetail",
  "withdraw",
  "recharge",
  "morenews",
  "aticledetail",
];

type Slide = "left" | "right" | "none";

function place(pathname: string): number {
  const name = pathname.replace(/^\/+|\/+$/g, "").toLowerCase();
  return ROUTE_ORDER.indexOf(name);
}

/** The side from which the next page comes in. Paths compare without regard to case. */
export function slideBetween(from: string, to: string): Slide {
  const [before, after] = [place(from), place(to)];
  if (before === after) return "none";
  return after > before ? "right" : "left";
}
