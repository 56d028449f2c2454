import account from "./messages/account.ru.ts";
import charts from "./messages/charts.ru.ts";
import chat from "./messages/chat.ru.ts";
import common from "./messages/common.ru.ts";
import entry from "./messages/entry.ru.ts";
import fairness from "./messages/fairness.ru.ts";
import history from "./messages/history.ru.ts";
import home from "./messages/home.ru.ts";
import lottery from "./messages/lottery.ru.ts";
import money from "./messages/money.ru.ts";
import news from "./messages/news.ru.ts";
import profile from "./messages/profile.ru.ts";
import protection from "./messages/protection.ru.ts";
import room from "./messages/room.ru.ts";
import security from "./messages/security.ru.ts";
import type { EnglishTexts } from "./texts.ts";
import type { SameKeys } from "./types.ts";

const russian: SameKeys<EnglishTexts> = {
  common,
  home,
  entry,
  account,
  lottery,
  history,
  room,
  money,
  security,
  profile,
  protection,
  charts,
  news,
  fairness,
  chat,
};

export default russian;
