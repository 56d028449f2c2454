import { expect, test } from "vitest";
import { layerOf } from "./cascadeLayers.ts";

test("pages stand above the kit, and the kit above what holds for every element", () => {
  expect(layerOf("/app/src/features/room/BetRoomPage.module.css")).toBeUndefined();
  expect(layerOf("/app/src/components/Button.module.css")).toBe("kit");
  expect(layerOf("/app/src/components/tokens.css?direct")).toBe("kit.base");
  expect(layerOf("/app/src/components/Button.tsx")).toBeUndefined();
});
