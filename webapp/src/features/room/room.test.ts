import { describe, expect, it } from "vitest";
import { levelOf, readAddress } from "./room.ts";

const at = (query: string) => readAddress(new URLSearchParams(query));

describe("the address of a room", () => {
  it("names plan, game and words", () => {
    expect(at("id=12&game_id=2&name=New+Zealand&title=High&status=1")).toEqual({
      planId: 12,
      gameId: 2,
      name: "New Zealand",
      title: "High",
      status: "1",
    });
  });

  it("finds the game by the plan, and the first room where nothing is said", () => {
    expect(at("id=19").gameId).toBe(3);
    expect(at("id=x")).toMatchObject({ planId: 1, gameId: 1 });
  });

  it("says the level and the hall of a plan in every game", () => {
    expect([1, 5, 9, 10, 36].map(levelOf)).toEqual([
      { vip: 1, tier: 0 },
      { vip: 2, tier: 1 },
      { vip: 3, tier: 2 },
      { vip: 1, tier: 0 },
      { vip: 3, tier: 2 },
    ]);
  });
});
