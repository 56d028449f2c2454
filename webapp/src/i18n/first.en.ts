import breaks from "./messages/breaks.en.ts";
import chat from "./messages/chat.en.ts";
import common from "./messages/common.en.ts";
import home from "./messages/home.en.ts";
import room from "./messages/room.en.ts";

const english = { common, home, breaks, room, chat };

export type FirstTexts = typeof english;
export default english;
