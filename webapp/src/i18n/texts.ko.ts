import account from "./messages/account.ko.ts";
import charts from "./messages/charts.ko.ts";
import chat from "./messages/chat.ko.ts";
import common from "./messages/common.ko.ts";
import entry from "./messages/entry.ko.ts";
import fairness from "./messages/fairness.ko.ts";
import history from "./messages/history.ko.ts";
import home from "./messages/home.ko.ts";
import lottery from "./messages/lottery.ko.ts";
import money from "./messages/money.ko.ts";
import news from "./messages/news.ko.ts";
import profile from "./messages/profile.ko.ts";
import protection from "./messages/protection.ko.ts";
import room from "./messages/room.ko.ts";
import security from "./messages/security.ko.ts";
import type { EnglishTexts } from "./texts.ts";
import type { SameKeys } from "./types.ts";

const korean: SameKeys<EnglishTexts> = {
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

export default korean;
