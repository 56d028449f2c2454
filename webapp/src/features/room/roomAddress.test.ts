import { describe, expect, it } from "vitest";
import { isHall, readAddress } from "./roomAddress.ts";

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
    expect(at("game_id=3")).toMatchObject({ planId: 19, gameId: 3 });
    expect(at("id=19&game_id=1").gameId).toBe(3);
  });

  it("leads nowhere where there is no such hall", () => {
    expect(["id=1", "id=36", "", "id=-4"].map((query) => isHall(at(query)))).toEqual(
      Array(4).fill(true),
    );
    expect(["id=0", "id=37", "game_id=5", "game_id=0"].some((query) => isHall(at(query)))).toBe(
      false,
    );
  });
});
