import type { LaterTexts } from "./later.en.ts";
import account from "./messages/account.tw.ts";
import charts from "./messages/charts.tw.ts";
import entry from "./messages/entry.tw.ts";
import fairness from "./messages/fairness.tw.ts";
import history from "./messages/history.tw.ts";
import lottery from "./messages/lottery.tw.ts";
import money from "./messages/money.tw.ts";
import news from "./messages/news.tw.ts";
import profile from "./messages/profile.tw.ts";
import protection from "./messages/protection.tw.ts";
import rules from "./messages/rules.tw.ts";
import security from "./messages/security.tw.ts";
import service from "./messages/service.tw.ts";
import type { SameKeys } from "./types.ts";

const traditionalChinese: SameKeys<LaterTexts> = {
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

export default traditionalChinese;
