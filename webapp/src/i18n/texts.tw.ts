import account from "./messages/account.tw.ts";
import charts from "./messages/charts.tw.ts";
import chat from "./messages/chat.tw.ts";
import common from "./messages/common.tw.ts";
import entry from "./messages/entry.tw.ts";
import fairness from "./messages/fairness.tw.ts";
import history from "./messages/history.tw.ts";
import home from "./messages/home.tw.ts";
import lottery from "./messages/lottery.tw.ts";
import money from "./messages/money.tw.ts";
import news from "./messages/news.tw.ts";
import profile from "./messages/profile.tw.ts";
import protection from "./messages/protection.tw.ts";
import room from "./messages/room.tw.ts";
import security from "./messages/security.tw.ts";
import type { EnglishTexts } from "./texts.ts";
import type { SameKeys } from "./types.ts";

const traditionalChinese: SameKeys<EnglishTexts> = {
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

export default traditionalChinese;
