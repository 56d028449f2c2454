import account from "./messages/account.my.ts";
import charts from "./messages/charts.my.ts";
import chat from "./messages/chat.my.ts";
import common from "./messages/common.my.ts";
import entry from "./messages/entry.my.ts";
import fairness from "./messages/fairness.my.ts";
import history from "./messages/history.my.ts";
import home from "./messages/home.my.ts";
import lottery from "./messages/lottery.my.ts";
import money from "./messages/money.my.ts";
import news from "./messages/news.my.ts";
import profile from "./messages/profile.my.ts";
import protection from "./messages/protection.my.ts";
import room from "./messages/room.my.ts";
import security from "./messages/security.my.ts";
import type { EnglishTexts } from "./texts.ts";
import type { SameKeys } from "./types.ts";

const malay: SameKeys<EnglishTexts> = {
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

export default malay;
