import { describe, expect, it } from "vitest";
import type { Draw, Heart } from "../../api/types.ts";
import {
  applyDraw,
  applyHeartbeat,
  applyLink,
  applyRecall,
  isLater,
  newRoom,
  resetFromHeartbeat,
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
  it("orders issues by date, then by number, whatever its width", () => {
    expect(isLater("20261122001", "202611211411")).toBe(true);
    expect(isLater("202611211411", "20261122001")).toBe(false);
    expect(isLater("202611211000", "20261121999")).toBe(true);
    expect(isLater("20261121999", "20261121999")).toBe(false);
  });

  it("shows the last draw on entering without playing it", () => {
    const room = applyHeartbeat(newRoom(), heart("8", "7"), 0);
    expect(room.heart?.last_issue?.issue_code).toBe("7");
    expect(room.freshDraw).toBeNull();
  });

  it("plays a draw that comes while one looks, by event or by poll, once", () => {
    const entered = applyHeartbeat(newRoom(), heart("8", "7"), 0);
    const byEvent = applyDraw(entered, draw("8"));
    expect(byEvent.freshDraw?.issue_code).toBe("8");
    expect(applyDraw(byEvent, draw("8"))).toBe(byEvent);
    const byPoll = applyHeartbeat(entered, heart("9", "8"), 0);
    expect(byPoll.freshDraw?.issue_code).toBe("8");
    expect(applyHeartbeat(byEvent, heart("9", "8"), 0).freshDraw).toBe(byEvent.freshDraw);
  });

  it("never goes back to an earlier round or draw", () => {
    const room = applyHeartbeat(newRoom(), heart("9", "8"), 0);
    const late = applyHeartbeat(room, heart("8", "7"), 0);
    expect(late.heart).toBe(room.heart);
    expect(applyDraw(room, draw("7"))).toBe(room);
  });

  it("reads the own result of a round from a heart as from its event, once", () => {
    const win = { issue: "8", game_id: 1, payout: 19.8, profit: 9.8, stake: 10, bets: [] };
    const polled = applyHeartbeat(newRoom(), heart("9", "8", { win }), 0);
    expect(polled.outcome).toMatchObject({ issue: "8" });
    expect(applyHeartbeat(polled, heart("9", "8", { win }), 1).outcome).toBe(polled.outcome);
    const older = { ...win, issue: "7" };
    expect(applyHeartbeat(polled, heart("9", "8", { win: older }), 1).outcome).toBe(polled.outcome);
  });

  it("drops the bets that it has for a heartbeat that restarts", () => {
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
    const room = applyHeartbeat(newRoom(), heart("9", "8", { message: [bet("old")] }), 0);
    const restarted = resetFromHeartbeat(room, heart("9", "8", { message: [bet("new")] }), 1);
    expect(restarted.feed.bets.map((one) => one.id)).toEqual(["new"]);
    const both = applyHeartbeat(room, heart("9", "8", { message: [bet("new")] }), 1);
    expect(both.feed.bets.map((one) => one.id)).toEqual(["old", "new"]);
  });

  it("has no round and no draw when the heartbeat's have no number", () => {
    expect(applyHeartbeat(newRoom(), heart("9", ""), 0).heart?.last_issue).toBeNull();
    const room = applyHeartbeat(newRoom(), heart("9", "8"), 0);
    const waiting = applyHeartbeat(room, heart("", "8"), 0);
    expect(waiting.heart?.issue).toBeNull();
    expect(waiting.heart?.last_issue?.issue_code).toBe("8");
  });

  it("knows when it last heard of the server, and not since when it is silent", () => {
    const heard = applyLink(newRoom(), "live", 5_000);
    expect(heard.heardMs).toBe(5_000);
    expect(applyLink(heard, "live", 5_400)).toBe(heard);
    const later = applyLink(heard, "live", 9_000);
    expect(later.heardMs).toBe(9_000);
    expect(applyLink(later, "silent", 60_000)).toMatchObject({ link: "silent", heardMs: 9_000 });
  });

  it("is the same room when an event changes nothing", () => {
    const room = applyHeartbeat(newRoom(), heart("9", "8"), 0);
    expect(applyRecall(room, [])).toBe(room);
  });
});
