import account from "./messages/account.vi.ts";
import charts from "./messages/charts.vi.ts";
import chat from "./messages/chat.vi.ts";
import common from "./messages/common.vi.ts";
import entry from "./messages/entry.vi.ts";
import fairness from "./messages/fairness.vi.ts";
import history from "./messages/history.vi.ts";
import home from "./messages/home.vi.ts";
import lottery from "./messages/lottery.vi.ts";
import money from "./messages/money.vi.ts";
import news from "./messages/news.vi.ts";
import profile from "./messages/profile.vi.ts";
import protection from "./messages/protection.vi.ts";
import room from "./messages/room.vi.ts";
import security from "./messages/security.vi.ts";
import type { EnglishTexts } from "./texts.ts";
import type { SameKeys } from "./types.ts";

const vietnamese: SameKeys<EnglishTexts> = {
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

export default vietnamese;
