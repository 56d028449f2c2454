import type { FirstTexts } from "./first.en.ts";
import breaks from "./messages/breaks.tw.ts";
import chat from "./messages/chat.tw.ts";
import common from "./messages/common.tw.ts";
import home from "./messages/home.tw.ts";
import room from "./messages/room.tw.ts";
import type { SameKeys } from "./types.ts";

const traditionalChinese: SameKeys<FirstTexts> = { common, home, breaks, room, chat };

export default traditionalChinese;
