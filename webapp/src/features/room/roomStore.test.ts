import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { applyHeartbeat, newRoom } from "./roomReducer.ts";
import { changeRoom, phaseNow, roomTime, useRoom } from "./roomStore.ts";

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ now: 5 * HOUR_MS }));
afterEach(() => {
  useRoom.setState(newRoom(), true);
  vi.useRealTimers();
});

it("a phone whose clock is wrong sees the round open and close at the server's time", () => {
  for (const wrongBy of [-HOUR_MS, HOUR_MS]) {
    useRoom.setState(newRoom(), true);
    const now = Date.now() + wrongBy;
    const heart = {
      last_issue: {
        ...{ issue_code: "", site_1: 0, site_2: 0, site_3: 0 },
        ...{ code: 0, base: ["", ""] as [string, string], createtime: 0 },
      },
      issue: {
        ...{ issue: "7", openTime1: 60, whether_close: 0 as const, now },
        ...{ closes_at: now + 60_000, draws_at: now + 75_000 },
      },
      game_status: 1 as const,
      user_quantity: null,
      ...{ hit_notice: [], message: [], recalled: [], chat: [], chat_removed: [], win: null },
    };
    changeRoom((room) => applyHeartbeat(room, heart, Date.now()));
    expect(roomTime()).toBe(now);
    expect(phaseNow()).toBe("open");
    vi.advanceTimersByTime(61_000);
    expect(phaseNow()).toBe("sealed");
  }
});
