import type { FirstTexts } from "./first.en.ts";
import breaks from "./messages/breaks.ja.ts";
import chat from "./messages/chat.ja.ts";
import common from "./messages/common.ja.ts";
import home from "./messages/home.ja.ts";
import room from "./messages/room.ja.ts";
import type { SameKeys } from "./types.ts";

const japanese: SameKeys<FirstTexts> = { common, home, breaks, room, chat };

export default japanese;
