import account from "./messages/account.en.ts";
import charts from "./messages/charts.en.ts";
import chat from "./messages/chat.en.ts";
import common from "./messages/common.en.ts";
import entry from "./messages/entry.en.ts";
import fairness from "./messages/fairness.en.ts";
import history from "./messages/history.en.ts";
import home from "./messages/home.en.ts";
import lottery from "./messages/lottery.en.ts";
import money from "./messages/money.en.ts";
import news from "./messages/news.en.ts";
import profile from "./messages/profile.en.ts";
import protection from "./messages/protection.en.ts";
import room from "./messages/room.en.ts";
import security from "./messages/security.en.ts";

const english = {
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

export type EnglishTexts = typeof english;
export default english;
