import { describe, expect, it } from "vitest";
import { followVerdict } from "./follow.ts";

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
