import { describe, expect, it } from "vitest";
import type { Draw, Heart } from "../../../api/types.ts";
import { drawRead, heartRead, isLater, newRoom, recallRead } from "./room.ts";

const draw = (issue_code: string): Draw => ({
  issue_code,
  site_1: 5,
  site_2: 8,
  site_3: 2,
  code: 15,
  base: ["Big", "Odd"],
  createtime: 1,
});
const heart = (issue: string, drawn: string, part: Partial<Heart> = {}): Heart => ({
  last_issue: draw(drawn),
  issue: { issue, openTime1: 60, whether_close: 0, closes_at: 9, draws_at: 19, now: 1_000 },
  game_status: 1,
  user_quantity: null,
  hit_notice: [],
  message: [],
  recalled: [],
  chat: [],
  chat_removed: [],
  ...part,
});

describe("a room", () => {
  it("orders issues by number", () => {
    expect(isLater("20261122001", "20261121411")).toBe(true);
    expect(isLater("10", "9")).toBe(true);
    expect(isLater("9", "9")).toBe(false);
  });

  it("shows the last draw on entering without playing it", () => {
    const room = heartRead(newRoom(), heart("8", "7"), 0);
    expect(room.heart?.last_issue?.issue_code).toBe("7");
    expect(room.freshDraw).toBeNull();
  });

  it("plays a draw that comes while one looks, by event or by poll, once", () => {
    const entered = heartRead(newRoom(), heart("8", "7"), 0);
    const byEvent = drawRead(entered, draw("8"));
    expect(byEvent.freshDraw?.issue_code).toBe("8");
    expect(drawRead(byEvent, draw("8"))).toBe(byEvent);
    const byPoll = heartRead(entered, heart("9", "8"), 0);
    expect(byPoll.freshDraw?.issue_code).toBe("8");
    expect(heartRead(byEvent, heart("9", "8"), 0).freshDraw).toBe(byEvent.freshDraw);
  });

  it("never goes back to an earlier round or draw", () => {
    const room = heartRead(newRoom(), heart("9", "8"), 0);
    const late = heartRead(room, heart("8", "7"), 0);
    expect(late.heart).toBe(room.heart);
    expect(drawRead(room, draw("7"))).toBe(room);
  });

  it("closes when the heartbeat brings no round", () => {
    const room = heartRead(newRoom(), heart("9", "8"), 0);
    expect(heartRead(room, heart("9", "8", { issue: null }), 0).heart?.issue).toBeNull();
  });

  it("is the same room when an event changes nothing", () => {
    const room = heartRead(newRoom(), heart("9", "8"), 0);
    expect(recallRead(room, [])).toBe(room);
  });
});
