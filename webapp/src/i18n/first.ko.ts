import type { FirstTexts } from "./first.en.ts";
import breaks from "./messages/breaks.ko.ts";
import chat from "./messages/chat.ko.ts";
import common from "./messages/common.ko.ts";
import home from "./messages/home.ko.ts";
import room from "./messages/room.ko.ts";
import type { SameKeys } from "./types.ts";

const korean: SameKeys<FirstTexts> = { common, home, breaks, room, chat };

export default korean;
