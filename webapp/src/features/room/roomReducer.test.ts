import { describe, expect, it } from "vitest";
import type { Draw, Heart } from "../../api/types.ts";
import {
  drawRead,
  heartRead,
  heartReadAnew,
  isLater,
  linkRead,
  newRoom,
  recallRead,
} from "./roomReducer.ts";

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
  win: null,
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

  it("reads the own result of a round from a heart as from its event, once", () => {
    const win = { issue: "8", game_id: 1, payout: 19.8, profit: 9.8, stake: 10, bets: [] };
    const polled = heartRead(newRoom(), heart("9", "8", { win }), 0);
    expect(polled.outcome).toMatchObject({ issue: "8" });
    expect(heartRead(polled, heart("9", "8", { win }), 1).outcome).toBe(polled.outcome);
    const older = { ...win, issue: "7" };
    expect(heartRead(polled, heart("9", "8", { win: older }), 1).outcome).toBe(polled.outcome);
  });

  it("drops the bets that it has for a heart that begins anew", () => {
    const bet = (id: string) => ({
      id,
      nickname: "a***b",
      issue: "9",
      play_method: "Big",
      play_type: "big",
      quantity: 10,
      after_quantity: 10,
      bot: false,
      createtime: 1,
    });
    const room = heartRead(newRoom(), heart("9", "8", { message: [bet("old")] }), 0);
    const anew = heartReadAnew(room, heart("9", "8", { message: [bet("new")] }), 1);
    expect(anew.feed.bets.map((one) => one.id)).toEqual(["new"]);
    const both = heartRead(room, heart("9", "8", { message: [bet("new")] }), 1);
    expect(both.feed.bets.map((one) => one.id)).toEqual(["old", "new"]);
  });

  it("has no round and no draw when the heartbeat's have no number", () => {
    expect(heartRead(newRoom(), heart("9", ""), 0).heart?.last_issue).toBeNull();
    const room = heartRead(newRoom(), heart("9", "8"), 0);
    const waiting = heartRead(room, heart("", "8"), 0);
    expect(waiting.heart?.issue).toBeNull();
    expect(waiting.heart?.last_issue?.issue_code).toBe("8");
  });

  it("knows when it last heard of the server, and not since when it is silent", () => {
    const heard = linkRead(newRoom(), "live", 5_000);
    expect(heard.heardMs).toBe(5_000);
    expect(linkRead(heard, "live", 5_400)).toBe(heard);
    const later = linkRead(heard, "live", 9_000);
    expect(later.heardMs).toBe(9_000);
    expect(linkRead(later, "silent", 60_000)).toMatchObject({ link: "silent", heardMs: 9_000 });
  });

  it("is the same room when an event changes nothing", () => {
    const room = heartRead(newRoom(), heart("9", "8"), 0);
    expect(recallRead(room, [])).toBe(room);
  });
});
