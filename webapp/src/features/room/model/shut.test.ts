import { describe, expect, it } from "vitest";
import type { Plan } from "../../../api/types.ts";
import { whyShut } from "./shut.ts";

const hall = (id: number, status: 0 | 1) => ({ id, status }) as Plan;
const game = (status: 0 | 1, ...planList: Plan[]) => ({ status, planList });

describe("a room that is shut", () => {
  it("keeps its hours when no round runs and its hall is open", () => {
    expect(whyShut(false, [game(1, hall(1, 1))], 1)).toBe("hours");
    expect(whyShut(false, [], 1)).toBe("hours");
  });

  it("was closed by staff when a round runs, or when the list of halls says so", () => {
    const games = [game(1, hall(1, 0), hall(2, 1))];
    expect(whyShut(true, [], 1)).toBe("hall");
    expect(whyShut(false, games, 1)).toBe("hall");
    expect(whyShut(false, games, 2)).toBe("hours");
  });

  it("is discontinued when nothing is sold in any game", () => {
    const games = [game(0, hall(1, 0)), game(0, hall(10, 0))];
    expect(whyShut(true, games, 1)).toBe("discontinued");
    expect(whyShut(false, games, 10)).toBe("discontinued");
    expect(whyShut(false, [game(0, hall(1, 0)), game(1, hall(10, 1))], 10)).toBe("hours");
  });
});
