import { expect, test } from "vitest";
import { releaseDetector } from "./later.ts";

async function verdicts(...reachable: boolean[]): Promise<boolean[]> {
  const left = [...reachable];
  const isGone = releaseDetector(async () => left.shift() ?? true);
  const said: boolean[] = [];
  for (const _ of reachable) said.push(await isGone());
  return said;
}

test("code that the server does not have is gone after three attempts in a row", async () => {
  expect(await verdicts(true, true, true)).toEqual([false, false, true]);
});

test("an attempt that failed while the network came back does not count as a release", async () => {
  expect(await verdicts(true, true)).toEqual([false, false]);
  expect(await verdicts(true, false, true, true)).toEqual([false, false, false, false]);
});
