import account from "./messages/account.zh.ts";
import common from "./messages/common.zh.ts";
import entry from "./messages/entry.zh.ts";
import history from "./messages/history.zh.ts";
import home from "./messages/home.zh.ts";
import lottery from "./messages/lottery.zh.ts";
import room from "./messages/room.zh.ts";
import type { EnglishTexts } from "./texts.ts";
import type { SameKeys } from "./types.ts";

const chinese: SameKeys<EnglishTexts> = { common, home, entry, account, lottery, history, room };

export default chinese;
