import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../api/client.ts";
import { wireLanguage } from "../../../i18n/locale.ts";
import { enterChat } from "../chat/store.ts";
import { newRoom } from "../model/room.ts";
import type { RoomId } from "../room.ts";
import { useRoom } from "../store.ts";
import { connect, type World } from "./connection.ts";
import { listener } from "./listener.ts";

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

/** Keeps the room's store in step with the server while the page is shown. */
export function useRoomLive({ gameId, planId }: RoomId): void {
  const queries = useQueryClient();
  useEffect(() => {
    useRoom.setState(newRoom(), true);
    enterChat();
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
