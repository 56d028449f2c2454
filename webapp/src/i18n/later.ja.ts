import type { LaterTexts } from "./later.en.ts";
import account from "./messages/account.ja.ts";
import charts from "./messages/charts.ja.ts";
import entry from "./messages/entry.ja.ts";
import fairness from "./messages/fairness.ja.ts";
import history from "./messages/history.ja.ts";
import lottery from "./messages/lottery.ja.ts";
import money from "./messages/money.ja.ts";
import news from "./messages/news.ja.ts";
import profile from "./messages/profile.ja.ts";
import protection from "./messages/protection.ja.ts";
import rules from "./messages/rules.ja.ts";
import security from "./messages/security.ja.ts";
import service from "./messages/service.ja.ts";
import type { SameKeys } from "./types.ts";

const japanese: SameKeys<LaterTexts> = {
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

export default japanese;
