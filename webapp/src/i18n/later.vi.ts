import type { LaterTexts } from "./later.en.ts";
import account from "./messages/account.vi.ts";
import charts from "./messages/charts.vi.ts";
import entry from "./messages/entry.vi.ts";
import fairness from "./messages/fairness.vi.ts";
import history from "./messages/history.vi.ts";
import lottery from "./messages/lottery.vi.ts";
import money from "./messages/money.vi.ts";
import news from "./messages/news.vi.ts";
import profile from "./messages/profile.vi.ts";
import protection from "./messages/protection.vi.ts";
import rules from "./messages/rules.vi.ts";
import security from "./messages/security.vi.ts";
import service from "./messages/service.vi.ts";
import type { SameKeys } from "./types.ts";

const vietnamese: SameKeys<LaterTexts> = {
  account,
  charts,
  entry,
  fairness,
  history,
  lottery,
  money,
  news,
  profile,
  protection,
  rules,
  security,
  service,
};

export default vietnamese;
