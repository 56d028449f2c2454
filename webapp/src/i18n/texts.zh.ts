import account from "./messages/account.zh.ts";
import charts from "./messages/charts.zh.ts";
import chat from "./messages/chat.zh.ts";
import common from "./messages/common.zh.ts";
import entry from "./messages/entry.zh.ts";
import fairness from "./messages/fairness.zh.ts";
import history from "./messages/history.zh.ts";
import home from "./messages/home.zh.ts";
import lottery from "./messages/lottery.zh.ts";
import money from "./messages/money.zh.ts";
import news from "./messages/news.zh.ts";
import profile from "./messages/profile.zh.ts";
import protection from "./messages/protection.zh.ts";
import room from "./messages/room.zh.ts";
import security from "./messages/security.zh.ts";
import type { EnglishTexts } from "./texts.ts";
import type { SameKeys } from "./types.ts";

const simplifiedChinese: SameKeys<EnglishTexts> = {
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

export default simplifiedChinese;
