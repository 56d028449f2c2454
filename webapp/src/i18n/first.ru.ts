import type { FirstTexts } from "./first.en.ts";
import breaks from "./messages/breaks.ru.ts";
import chat from "./messages/chat.ru.ts";
import common from "./messages/common.ru.ts";
import home from "./messages/home.ru.ts";
import room from "./messages/room.ru.ts";
import type { SameKeys } from "./types.ts";

const russian: SameKeys<FirstTexts> = { common, home, breaks, room, chat };

export default russian;
