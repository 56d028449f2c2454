import { create } from "zustand";
import type { Phase } from "./phase.ts";
import { phaseAt } from "./phase.ts";
import { newRoom, type RoomState } from "./roomReducer.ts";
import { serverNow } from "./serverClock.ts";

/** The room that is on the screen; one at a time. */
export const useRoom = create<RoomState>()(newRoom);

export const changeRoom = (change: (room: RoomState) => RoomState): void =>
  useRoom.setState((room) => change(room));

/** The server's time now, in ms. */
export const roomTime = (): number => serverNow(useRoom.getState().clock, Date.now());

/** The phase now, for decisions on a press. */
export const phaseNow = (): Phase => phaseAt(useRoom.getState().heart, roomTime());

export const currentIssue = (room: RoomState): string | undefined => room.heart?.issue?.issue;
export const lastDraw = (room: RoomState) => room.heart?.last_issue ?? null;
