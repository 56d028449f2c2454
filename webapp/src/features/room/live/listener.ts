import type { Heart } from "../../../api/types.ts";
import { readBalance } from "../../../lib/session.ts";
import * as chat from "../chat/model.ts";
import { changeChat } from "../chat/store.ts";
import * as room from "../model/room.ts";
import { changeRoom } from "../store.ts";
import type { Listener } from "./connection.ts";

function heartHeard(heart: Heart, anew: boolean): void {
  const read = anew ? room.heartReadAnew : room.heartRead;
  changeRoom((now) => read(now, heart, Date.now()));
  const hear = anew ? chat.heardAnew : chat.heard;
  changeChat((now) => hear(now, heart.chat, heart.chat_removed));
  if (heart.user_quantity) readBalance(heart.user_quantity);
}

/** What each thing that is heard changes in the room on the screen. */
export const listener: Listener = {
  heart: heartHeard,
  bet: (bet) => changeRoom((now) => room.betsRead(now, [bet])),
  recall: (ids) => changeRoom((now) => room.recallRead(now, ids)),
  draw: (draw) => changeRoom((now) => room.drawRead(now, draw)),
  chat: (line) => changeChat((now) => chat.heard(now, [line], [])),
  chatRemoved: (ids) => changeChat((now) => chat.heard(now, [], ids)),
  balance: readBalance,
  result: (result) => changeRoom((now) => room.resultRead(now, result)),
  link: (link) => changeRoom((now) => room.linkRead(now, link, Date.now())),
};
