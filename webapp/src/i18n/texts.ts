import account from "./messages/account.en.ts";
import common from "./messages/common.en.ts";
import entry from "./messages/entry.en.ts";
import history from "./messages/history.en.ts";
import home from "./messages/home.en.ts";
import lottery from "./messages/lottery.en.ts";
import room from "./messages/room.en.ts";

const english = { common, home, entry, account, lottery, history, room };

export type EnglishTexts = typeof english;
export default english;
