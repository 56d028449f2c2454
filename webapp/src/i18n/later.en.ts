import account from "./messages/account.en.ts";
import charts from "./messages/charts.en.ts";
import entry from "./messages/entry.en.ts";
import fairness from "./messages/fairness.en.ts";
import history from "./messages/history.en.ts";
import lottery from "./messages/lottery.en.ts";
import money from "./messages/money.en.ts";
import news from "./messages/news.en.ts";
import profile from "./messages/profile.en.ts";
import protection from "./messages/protection.en.ts";
import rules from "./messages/rules.en.ts";
import security from "./messages/security.en.ts";
import service from "./messages/service.en.ts";

const english = {
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

export type LaterTexts = typeof english;
export default english;
