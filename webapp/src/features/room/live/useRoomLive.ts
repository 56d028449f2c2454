import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../api/client.ts";
import type { Heart } from "../../../api/types.ts";
import { wireLanguage } from "../../../i18n/locale.ts";
import { readBalance } from "../../../lib/session.ts";
import * as chat from "../chat/model.ts";
import { changeChat, enterChat } from "../chat/store.ts";
import * as room from "../model/room.ts";
import { newRoom } from "../model/room.ts";
import type { RoomId } from "../room.ts";
import { emptySlip } from "../slipStore.ts";
import { changeRoom, useRoom } from "../store.ts";
import { connect, type Listener, type World } from "./connection.ts";

function worldOf({ gameId, planId }: RoomId): World {
  return {
    openStream: () => {
      const about = { game_id: String(gameId), plan_id: String(planId), lang: wireLanguage() };
      return new EventSource(`/api/Lottery/stream?${new URLSearchParams(about)}`);
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

function heartHeard(heart: Heart, anew: boolean): void {
  const read = anew ? room.heartReadAnew : room.heartRead;
  changeRoom((now) => read(now, heart, Date.now()));
  const hear = anew ? chat.heardAnew : chat.heard;
  changeChat((now) => hear(now, heart.chat, heart.chat_removed));
  if (heart.user_quantity) readBalance(heart.user_quantity);
}

const listener: Listener = {
  heart: heartHeard,
  bet: (bet) => changeRoom((now) => room.betsRead(now, [bet])),
  recall: (ids) => changeRoom((now) => room.recallRead(now, ids)),
  draw: (draw) => changeRoom((now) => room.drawRead(now, draw)),
  chat: (line) => changeChat((now) => chat.heard(now, [line], [])),
  chatRemoved: (ids) => changeChat((now) => chat.heard(now, [], ids)),
  balance: readBalance,
  result: (result) => changeRoom((now) => room.resultRead(now, result)),
  link: (link) => changeRoom((now) => room.linkRead(now, link)),
};

/** Keeps the room's store in step with the server while the page is shown. */
export function useRoomLive({ gameId, planId }: RoomId): void {
  const queries = useQueryClient();
  useEffect(() => {
    useRoom.setState(newRoom(), true);
    enterChat();
    emptySlip();
    const close = connect(worldOf({ gameId, planId }), listener);
    const looked = () => {
      if (document.visibilityState !== "visible") return;
      void queries.invalidateQueries({ queryKey: ["room"] });
      void queries.invalidateQueries({ queryKey: ["profile"] });
    };
    document.addEventListener("visibilitychange", looked);
    return () => {
      document.removeEventListener("visibilitychange", looked);
      close();
    };
  }, [gameId, planId, queries]);
}
