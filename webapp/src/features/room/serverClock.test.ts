import { describe, expect, it } from "vitest";
import { newClock, serverNow, withSample } from "./serverClock.ts";

describe("the server's clock", () => {
  it("is the local one until the server has spoken", () => {
    expect(serverNow(newClock(), 5_000)).toBe(5_000);
  });

  it("follows the server however wrong the phone is", () => {
    const clock = withSample(newClock(), 1_000_000, 5_000);
    expect(serverNow(clock, 7_000)).toBe(1_002_000);
  });

  it("trusts the sample that was least late", () => {
    const prompt = withSample(newClock(), 1_000_000, 5_000);
    const late = withSample(prompt, 1_000_500, 9_000);
    expect(serverNow(late, 10_000)).toBe(1_005_000);
  });

  it("forgets old samples, so that a corrected phone clock is followed", () => {
    let clock = withSample(newClock(), 1_000_000, 0);
    for (let at = 1; at <= 8; at += 1) clock = withSample(clock, 1_000_000 + at, 500_000 + at);
    expect(serverNow(clock, 500_100)).toBe(1_000_100);
  });
});
