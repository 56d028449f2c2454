import type { LaterTexts } from "./later.en.ts";
import account from "./messages/account.ko.ts";
import charts from "./messages/charts.ko.ts";
import entry from "./messages/entry.ko.ts";
import fairness from "./messages/fairness.ko.ts";
import history from "./messages/history.ko.ts";
import lottery from "./messages/lottery.ko.ts";
import money from "./messages/money.ko.ts";
import news from "./messages/news.ko.ts";
import profile from "./messages/profile.ko.ts";
import protection from "./messages/protection.ko.ts";
import rules from "./messages/rules.ko.ts";
import security from "./messages/security.ko.ts";
import service from "./messages/service.ko.ts";
import type { SameKeys } from "./types.ts";

const korean: SameKeys<LaterTexts> = {
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

export default korean;
