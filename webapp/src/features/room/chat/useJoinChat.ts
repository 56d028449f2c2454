import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../api/client.ts";
import { toast } from "../../../components/Toaster.tsx";
import { isGuest, useSession } from "../../../lib/session.ts";
import type { RoomId } from "../roomAddress.ts";
import { roomTime } from "../roomStore.ts";
import { addMessages } from "./chatReducer.ts";
import { changeChat, useChat } from "./chatStore.ts";

/** How often a muted player's app checks whether the mute has ended. */
const MUTED_MS = 60_000;
const MIN_MS = 2_000;

/**
 * What the player may do in the chat; the end of a mute is in seconds since 1970, null if
 * permanent.
 */
export type ChatPermission =
  | { may: "unknown" | "speak" | "register" }
  | { may: "buy"; mutedUntil: number | null };

export interface JoinedChat {
  readonly voice: ChatPermission;
  readonly error: unknown;
  readonly again: () => void;
}

function muteLeftMs(until: number | null): number {
  const left = until === null ? MUTED_MS : until * 1_000 - roomTime();
  return Math.min(MUTED_MS, Math.max(MIN_MS, left));
}

/** Joins the hall's chat, welcomed once a visit, and knows whether the player may speak there. */
export function useJoinChat({ planId, gameId }: RoomId): JoinedChat {
  const token = useSession((session) => session.token);
  const guest = useSession(isGuest);
  const { data, error, refetch } = useQuery({
    queryKey: ["room", "chat", planId, token],
    queryFn: ({ signal }) =>
      call("Lottery/joinChat", { plan_id: planId, game_id: gameId }, { signal }),
    placeholderData: () => undefined,
    refetchInterval: ({ state }) =>
      state.data?.data.muted ? muteLeftMs(state.data.data.muted_until) : false,
  });
  useEffect(() => {
    if (data === undefined) return;
    if (!useChat.getState().joined) toast(String(data.msg), "good");
    changeChat((chat) => ({ ...addMessages(chat, data.data.messages, []), joined: true }));
  }, [data]);
  const again = () => void refetch();
  if (guest) return { voice: { may: "register" }, error, again };
  if (!data) return { voice: { may: "unknown" }, error, again };
  const { muted, muted_until } = data.data;
  const voice: ChatPermission = muted ? { may: "buy", mutedUntil: muted_until } : { may: "speak" };
  return { voice, error, again };
}
