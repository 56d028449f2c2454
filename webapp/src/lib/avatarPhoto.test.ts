import { expect, test } from "vitest";
import { middleSquare, parsePhotos } from "./avatarPhoto.ts";

test("a wide or high picture is cut to the square in its middle", () => {
  expect(middleSquare(400, 300)).toEqual({ x: 50, y: 0, side: 300 });
  expect(middleSquare(300, 400)).toEqual({ x: 0, y: 50, side: 300 });
  expect(middleSquare(256, 256)).toEqual({ x: 0, y: 0, side: 256 });
});

test("stored photos are read back by member", () => {
  const photos = { 7: "data:image/jpeg;base64,AAAA" };
  expect(parsePhotos(JSON.stringify(photos))).toEqual(photos);
});

test.each([null, "", "{", "null", "7", '{"7":"https://elsewhere.example/a.jpg"}', '{"7":1}'])(
  "stored text %s holds no photo",
  (text) => expect(parsePhotos(text)).toEqual({}),
);
