import { expect, test } from "vitest";
import { inviteLink } from "./SharePage.tsx";

test("the invite link is the register page with the inviter's id", () => {
  expect(inviteLink("https://house.example", "/vip/", "17")).toBe(
    "https://house.example/vip/register?inviter_id=17",
  );
});
