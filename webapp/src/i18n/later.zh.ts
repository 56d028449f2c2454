import type { LaterTexts } from "./later.en.ts";
import account from "./messages/account.zh.ts";
import charts from "./messages/charts.zh.ts";
import entry from "./messages/entry.zh.ts";
import fairness from "./messages/fairness.zh.ts";
import history from "./messages/history.zh.ts";
import lottery from "./messages/lottery.zh.ts";
import money from "./messages/money.zh.ts";
import news from "./messages/news.zh.ts";
import profile from "./messages/profile.zh.ts";
import protection from "./messages/protection.zh.ts";
import rules from "./messages/rules.zh.ts";
import security from "./messages/security.zh.ts";
import service from "./messages/service.zh.ts";
import type { SameKeys } from "./types.ts";

const simplifiedChinese: SameKeys<LaterTexts> = {
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

export default simplifiedChinese;
