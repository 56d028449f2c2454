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

export type Slide = "left" | "right" | "none";

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
