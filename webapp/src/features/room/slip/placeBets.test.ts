import { beforeEach, describe, expect, it, vi } from "vitest";
import { CallError, unanswered } from "../../../api/client.ts";
import type { BetKind } from "../../../lib/betKinds.ts";
import { useSession } from "../../../lib/session.ts";
import { newRoom } from "../roomReducer.ts";
import { useRoom } from "../roomStore.ts";
import { placeBets } from "./placeBets.ts";
import { useSlip } from "./slipStore.ts";

const call = vi.hoisted(() => vi.fn());
vi.mock("../../../api/client.ts", async (original) => ({ ...(await original<object>()), call }));

interface Body {
  issue: string;
  play_type: string;
  money: number;
}

let bets = 0;

function answer({ issue, play_type: kind, money }: Body) {
  bets += 1;
  const data = {
    id: `b${bets}`,
    orderNo: `N${bets}`,
    nickname: "pl***1",
    issue,
    play_method: kind,
    play_type: kind,
    quantity: money,
    after_quantity: 1000 - bets * money,
    balance_version: bets,
    odds: 1.98,
    createtime: bets,
  };
  return { code: 1, msg: "ok", time: 0, data };
}

const refusal = (reason: string) =>
  new CallError({ code: 0, msg: "The house's words.", time: 0, data: null, reason });

const press = (...kinds: BetKind[]) => pressIn("7", ...kinds);

const pressIn = (issue: string, ...kinds: BetKind[]) =>
  placeBets({
    planId: 1,
    gameId: 1,
    issue,
    kinds,
    units: 10,
    signal: new AbortController().signal,
    onAttempt: () => undefined,
  });

const keysSent = (): string[] => call.mock.calls.map(([, , options]) => options.key);
const issuesSent = (): string[] => call.mock.calls.map(([, body]) => body.issue);

beforeEach(() => {
  bets = 0;
  call.mockReset();
  call.mockImplementation(async (_path: string, body: Body) => answer(body));
  useSlip.setState({ keys: new Map() });
  useRoom.setState(newRoom(), true);
  useSession.setState({ money: 1000, balanceVersion: 0 });
});

describe("placing a slip", () => {
  it("makes one call for each bet, each with a key of its own", async () => {
    const report = await press("big", "odd", "27", "0", "13", "even");
    expect(call.mock.calls.map(([path, body]) => [path, body.play_type, body.money])).toEqual(
      ["big", "odd", "27", "0", "13", "even"].map((kind) => ["Lottery/playOrder", kind, 10]),
    );
    expect(new Set(keysSent()).size).toBe(6);
    expect(report.accepted).toHaveLength(6);
    expect(useSession.getState()).toMatchObject({ money: 940, balanceVersion: 6 });
  });

  it("names own bets in the live list, with the stake and never the balance", async () => {
    await press("big");
    const room = useRoom.getState();
    expect(room.feed.bets).toMatchObject([{ id: "b1", quantity: 10, after_quantity: 10 }]);
    expect([...room.own]).toEqual(["b1"]);
  });

  it("reports what was accepted and what was not, with the house's words", async () => {
    call.mockImplementation(async (_path: string, body: Body) => {
      if (body.play_type === "odd") throw refusal("exposure_exceeded");
      return answer(body);
    });
    const report = await press("big", "odd");
    expect(report.accepted).toEqual([
      { kind: "big", issue: "7", stakeMinor: 1000, oddsMilli: 1980 },
    ]);
    expect(report.refused).toMatchObject([{ kind: "odd", undecided: false }]);
    expect(String(report.refused[0]?.error)).toContain("The house's words.");
  });

  it("uses the same key again only while no answer has come", async () => {
    call.mockRejectedValueOnce(unanswered("no_network"));
    const lost = await press("big");
    expect(lost.refused).toMatchObject([{ undecided: true }]);
    await press("big");
    await press("big");
    const [first, again, next] = keysSent();
    expect(again).toBe(first);
    expect(next).not.toBe(first);
  });

  it("repeats an accepted bet with its key if the page failed to show it", async () => {
    const stop = useSession.subscribe(() => {
      throw new Error("a page that fails");
    });
    const failed = await press("big");
    stop();
    expect(failed.refused).toMatchObject([{ kind: "big", undecided: true }]);
    await press("big");
    expect(new Set(keysSent()).size).toBe(1);
  });

  it("asks in the next round what became of a bet in the last, and does not place it twice", async () => {
    call.mockRejectedValueOnce(unanswered("no_network"));
    await press("big");
    const report = await pressIn("8", "big");
    expect(issuesSent()).toEqual(["7", "7"]);
    expect(new Set(keysSent()).size).toBe(1);
    expect(report.accepted).toMatchObject([{ kind: "big", issue: "7" }]);
  });

  it("places it in the next round once the house says that it never came", async () => {
    call.mockRejectedValueOnce(unanswered("cancelled"));
    await press("big");
    call.mockRejectedValueOnce(refusal("round_not_current"));
    const report = await pressIn("8", "big");
    expect(issuesSent()).toEqual(["7", "7", "8"]);
    const [first, again, next] = keysSent();
    expect(again).toBe(first);
    expect(next).not.toBe(first);
    expect(report.accepted).toMatchObject([{ kind: "big", issue: "8" }]);
  });

  it("places nothing while an earlier bet's answer still does not come", async () => {
    call.mockRejectedValue(unanswered("no_network"));
    await press("big");
    const report = await pressIn("8", "big");
    expect(issuesSent()).toEqual(["7", "7"]);
    expect(report.refused).toMatchObject([{ kind: "big", undecided: true }]);
  });

  it("sends again with a new key after a refusal", async () => {
    call.mockRejectedValueOnce(refusal("funds_insufficient"));
    await press("big");
    await press("big");
    expect(new Set(keysSent()).size).toBe(2);
  });
});
