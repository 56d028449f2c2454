import breaks from "./breaks.ts";
import chat from "./chat.ts";
import common from "./common.ts";
import home from "./home.ts";
import room from "./room.ts";

const english = { common, home, breaks, room, chat };

export type CoreTexts = typeof english;
export default english;
