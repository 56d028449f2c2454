import type { LaterTexts } from "./later.en.ts";
import account from "./messages/account.my.ts";
import charts from "./messages/charts.my.ts";
import entry from "./messages/entry.my.ts";
import fairness from "./messages/fairness.my.ts";
import history from "./messages/history.my.ts";
import lottery from "./messages/lottery.my.ts";
import money from "./messages/money.my.ts";
import news from "./messages/news.my.ts";
import profile from "./messages/profile.my.ts";
import protection from "./messages/protection.my.ts";
import rules from "./messages/rules.my.ts";
import security from "./messages/security.my.ts";
import service from "./messages/service.my.ts";
import type { SameKeys } from "./types.ts";

const malay: SameKeys<LaterTexts> = {
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

export default malay;
