import type { FirstTexts } from "./first.en.ts";
import breaks from "./messages/breaks.vi.ts";
import chat from "./messages/chat.vi.ts";
import common from "./messages/common.vi.ts";
import home from "./messages/home.vi.ts";
import room from "./messages/room.vi.ts";
import type { SameKeys } from "./types.ts";

const vietnamese: SameKeys<FirstTexts> = { common, home, breaks, room, chat };

export default vietnamese;
