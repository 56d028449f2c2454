import type { FirstTexts } from "./first.en.ts";
import breaks from "./messages/breaks.zh.ts";
import chat from "./messages/chat.zh.ts";
import common from "./messages/common.zh.ts";
import home from "./messages/home.zh.ts";
import room from "./messages/room.zh.ts";
import type { SameKeys } from "./types.ts";

const simplifiedChinese: SameKeys<FirstTexts> = { common, home, breaks, room, chat };

export default simplifiedChinese;
