import type { CoreTexts } from "../en/coreTexts.ts";
import type { SameKeys } from "../sameKeys.ts";
import breaks from "./breaks.ts";
import chat from "./chat.ts";
import common from "./common.ts";
import home from "./home.ts";
import room from "./room.ts";

export default { common, home, breaks, room, chat } satisfies SameKeys<CoreTexts>;
