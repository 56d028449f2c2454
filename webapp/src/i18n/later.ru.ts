import type { LaterTexts } from "./later.en.ts";
import account from "./messages/account.ru.ts";
import charts from "./messages/charts.ru.ts";
import entry from "./messages/entry.ru.ts";
import fairness from "./messages/fairness.ru.ts";
import history from "./messages/history.ru.ts";
import lottery from "./messages/lottery.ru.ts";
import money from "./messages/money.ru.ts";
import news from "./messages/news.ru.ts";
import profile from "./messages/profile.ru.ts";
import protection from "./messages/protection.ru.ts";
import rules from "./messages/rules.ru.ts";
import security from "./messages/security.ru.ts";
import service from "./messages/service.ru.ts";
import type { SameKeys } from "./types.ts";

const russian: SameKeys<LaterTexts> = {
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

export default russian;
