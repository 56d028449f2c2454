import account from "./messages/account.ja.ts";
import charts from "./messages/charts.ja.ts";
import chat from "./messages/chat.ja.ts";
import common from "./messages/common.ja.ts";
import entry from "./messages/entry.ja.ts";
import fairness from "./messages/fairness.ja.ts";
import history from "./messages/history.ja.ts";
import home from "./messages/home.ja.ts";
import lottery from "./messages/lottery.ja.ts";
import money from "./messages/money.ja.ts";
import news from "./messages/news.ja.ts";
import profile from "./messages/profile.ja.ts";
import protection from "./messages/protection.ja.ts";
import room from "./messages/room.ja.ts";
import security from "./messages/security.ja.ts";
import type { EnglishTexts } from "./texts.ts";
import type { SameKeys } from "./types.ts";

const japanese: SameKeys<EnglishTexts> = {
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

export default japanese;
