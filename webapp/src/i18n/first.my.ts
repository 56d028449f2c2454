import type { FirstTexts } from "./first.en.ts";
import breaks from "./messages/breaks.my.ts";
import chat from "./messages/chat.my.ts";
import common from "./messages/common.my.ts";
import home from "./messages/home.my.ts";
import room from "./messages/room.my.ts";
import type { SameKeys } from "./types.ts";

const malay: SameKeys<FirstTexts> = { common, home, breaks, room, chat };

export default malay;
