import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/client.ts";
import type { Heart } from "../../api/types.ts";
import { wireLanguage } from "../../i18n/locale.ts";
import { useLineAddress } from "../../lib/lines.ts";
import { updateBalance, useSession } from "../../lib/session.ts";
import { addMessages, resetMessages } from "./chat/chatReducer.ts";
import { changeChat, enterChat } from "./chat/chatStore.ts";
import type { RoomId } from "./roomAddress.ts";
import { type ConnectionDeps, connect, type StreamHandlers } from "./roomConnection.ts";
import {
  applyBets,
  applyDraw,
  applyHeartbeat,
  applyLink,
  applyRecall,
  applyResult,
  newRoom,
  resetFromHeartbeat,
} from "./roomReducer.ts";
import { changeRoom, useRoom } from "./roomStore.ts";

/** `line` is the address of the line that is chosen; heartbeats go there by themselves. */
function connectionDeps({ gameId, planId }: RoomId, line: string): ConnectionDeps {
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
  // Another line continues the same room: its first heartbeat covers what was missed.
  useEffect(
    () => connect(connectionDeps({ gameId, planId }, line), streamHandlers),
    [gameId, planId, line],
  );
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

function onHeartbeat(heart: Heart, restarted: boolean): void {
  const read = restarted ? resetFromHeartbeat : applyHeartbeat;
  changeRoom((now) => read(now, heart, Date.now()));
  const merge = restarted ? resetMessages : addMessages;
  changeChat((now) => merge(now, heart.chat, heart.chat_removed));
  if (heart.user_quantity) updateBalance(heart.user_quantity);
}

/** Applies stream events to the stores of the room on the screen. */
export const streamHandlers: StreamHandlers = {
  heart: onHeartbeat,
  bet: (bet) => changeRoom((now) => applyBets(now, [bet])),
  recall: (ids) => changeRoom((now) => applyRecall(now, ids)),
  draw: (draw) => changeRoom((now) => applyDraw(now, draw)),
  chat: (line) => changeChat((now) => addMessages(now, [line], [])),
  chatRemoved: (ids) => changeChat((now) => addMessages(now, [], ids)),
  balance: updateBalance,
  result: (result) => changeRoom((now) => applyResult(now, result)),
  link: (link) => changeRoom((now) => applyLink(now, link, Date.now())),
};
