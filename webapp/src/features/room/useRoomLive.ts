import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/client.ts";
import type { Heart } from "../../api/types.ts";
import { wireLanguage } from "../../i18n/locale.ts";
import { useLineAddress } from "../../lib/lines.ts";
import { readBalance, useSession } from "../../lib/session.ts";
import { heard, heardAnew } from "./chat/chatReducer.ts";
import { changeChat, enterChat } from "./chat/chatStore.ts";
import type { RoomId } from "./roomAddress.ts";
import { connect, type Listener, type World } from "./roomConnection.ts";
import {
  betsRead,
  drawRead,
  heartRead,
  heartReadAnew,
  linkRead,
  newRoom,
  recallRead,
  resultRead,
} from "./roomReducer.ts";
import { changeRoom, useRoom } from "./roomStore.ts";

/** `line` is the address of the line that is chosen; heartbeats go there by themselves. */
function worldOf({ gameId, planId }: RoomId, line: string): World {
  return {
    openStream: () => {
      const about = new URLSearchParams({
        game_id: String(gameId),
        plan_id: String(planId),
        lang: wireLanguage(),
        user_id: useSession.getState().userId,
      });
      return new EventSource(`${line}/api/Lottery/stream?${about}`, { withCredentials: true });
    },
    poll: async (signal) => {
      const body = { plan_id: planId, game_id: gameId };
      return (await call("Lottery/heart", body, { signal })).data;
    },
    isVisible: () => document.visibilityState === "visible",
    onVisible: (react) => {
      const looked = () => document.visibilityState === "visible" && react();
      document.addEventListener("visibilitychange", looked);
      return () => document.removeEventListener("visibilitychange", looked);
    },
  };
}

/** Keeps the room's store in step with the server while the page is shown. */
export function useRoomLive({ gameId, planId }: RoomId): void {
  const queries = useQueryClient();
  const line = useLineAddress(useSession((session) => session.activeList));
  // biome-ignore lint/correctness/useExhaustiveDependencies: each hall is a room of its own.
  useEffect(() => {
    useRoom.setState(newRoom(), true);
    enterChat();
  }, [gameId, planId]);
  // Another line goes on with the same room: its first heart stands for what was missed.
  useEffect(() => connect(worldOf({ gameId, planId }, line), listener), [gameId, planId, line]);
  useEffect(() => {
    const looked = () => {
      if (document.visibilityState !== "visible") return;
      void queries.invalidateQueries({ queryKey: ["room"] });
      void queries.invalidateQueries({ queryKey: ["profile"] });
    };
    document.addEventListener("visibilitychange", looked);
    return () => document.removeEventListener("visibilitychange", looked);
  }, [queries]);
}

function heartHeard(heart: Heart, anew: boolean): void {
  const read = anew ? heartReadAnew : heartRead;
  changeRoom((now) => read(now, heart, Date.now()));
  const hear = anew ? heardAnew : heard;
  changeChat((now) => hear(now, heart.chat, heart.chat_removed));
  if (heart.user_quantity) readBalance(heart.user_quantity);
}

/** What each thing that is heard changes in the room on the screen. */
export const listener: Listener = {
  heart: heartHeard,
  bet: (bet) => changeRoom((now) => betsRead(now, [bet])),
  recall: (ids) => changeRoom((now) => recallRead(now, ids)),
  draw: (draw) => changeRoom((now) => drawRead(now, draw)),
  chat: (line) => changeChat((now) => heard(now, [line], [])),
  chatRemoved: (ids) => changeChat((now) => heard(now, [], ids)),
  balance: readBalance,
  result: (result) => changeRoom((now) => resultRead(now, result)),
  link: (link) => changeRoom((now) => linkRead(now, link, Date.now())),
};
