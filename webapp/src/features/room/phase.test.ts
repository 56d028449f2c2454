import { describe, expect, it } from "vitest";
import type { CurrentRound, Draw, Plan } from "../../api/types.ts";
import { closedReason, followVerdict, phaseAt, takesBets } from "./phase.ts";

const round: CurrentRound = {
  issue: "20261121007",
  openTime1: 60,
  whether_close: 0,
  closes_at: 100_000,
  draws_at: 110_000,
  now: 40_000,
};
const draw = (issue_code: string): Draw => ({
  issue_code,
  site_1: 5,
  site_2: 8,
  site_3: 2,
  code: 15,
  base: ["Big", "Odd"],
  createtime: 1,
});
const open = { game_status: 1 as const, issue: round, last_issue: draw("20261121006") };

describe("the phase of a room", () => {
  it("is connecting until the first heartbeat", () => {
    expect(phaseAt(null, 0)).toBe("connecting");
  });

  it.each([
    [40_000, "open"],
    [89_999, "open"],
    [90_000, "closing"],
    [99_999, "closing"],
    [100_000, "sealed"],
    [109_999, "sealed"],
    [110_000, "drawing"],
    [500_000, "drawing"],
  ])("at %i ms is %s", (nowMs, phase) => {
    expect(phaseAt(open, nowMs)).toBe(phase);
  });

  it("is sealed as soon as the server says so", () => {
    const sealed = { ...open, issue: { ...round, whether_close: 1 as const } };
    expect(phaseAt(sealed, 40_000)).toBe("sealed");
  });

  it("is settled once the round's own draw is known", () => {
    const drawn = { ...open, last_issue: draw(round.issue) };
    expect(phaseAt(drawn, 110_001)).toBe("settled");
  });

  it("is closed without a round or when the game is not on", () => {
    expect(phaseAt({ ...open, issue: null }, 0)).toBe("game_closed");
    expect(phaseAt({ ...open, game_status: 0 }, 0)).toBe("game_closed");
  });

  it("takes bets only while open or closing", () => {
    const phases = ["connecting", "open", "closing", "sealed", "drawing", "settled", "game_closed"];
    expect(phases.filter((phase) => takesBets(phase as "open"))).toEqual(["open", "closing"]);
  });
});

describe("following a bet", () => {
  it("is allowed while open, for a bet of the current round", () => {
    expect(followVerdict("open", "7", "7")).toBe("ok");
    expect(followVerdict("closing", "7", "7")).toBe("ok");
  });

  it.each(["connecting", "sealed", "drawing", "settled", "game_closed"] as const)(
    "is refused as closed while %s, whatever the round",
    (phase) => {
      expect(followVerdict(phase, "7", "7")).toBe("closed");
      expect(followVerdict(phase, "6", "7")).toBe("closed");
    },
  );

  it("is refused for a bet of another round", () => {
    expect(followVerdict("open", "6", "7")).toBe("not_current");
  });
});

const hall = (id: number, status: 0 | 1) => ({ id, status }) as Plan;
const game = (status: 0 | 1, ...planList: Plan[]) => ({ status, planList });

describe("a room that is shut", () => {
  it("keeps its hours when no round runs and its hall is open", () => {
    expect(closedReason(false, [game(1, hall(1, 1))], 1)).toBe("hours");
    expect(closedReason(false, [], 1)).toBe("hours");
  });

  it("was closed by staff when a round runs, or when the list of halls says so", () => {
    const games = [game(1, hall(1, 0), hall(2, 1))];
    expect(closedReason(true, [], 1)).toBe("hall");
    expect(closedReason(false, games, 1)).toBe("hall");
    expect(closedReason(false, games, 2)).toBe("hours");
  });

  it("is discontinued when nothing is sold in any game", () => {
    const games = [game(0, hall(1, 0)), game(0, hall(10, 0))];
    expect(closedReason(true, games, 1)).toBe("discontinued");
    expect(closedReason(false, games, 10)).toBe("discontinued");
    expect(closedReason(false, [game(0, hall(1, 0)), game(1, hall(10, 1))], 10)).toBe("hours");
  });
});
