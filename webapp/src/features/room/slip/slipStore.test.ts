import { beforeEach, describe, expect, it } from "vitest";
import {
  acceptOdds,
  dropKinds,
  emptySlip,
  openSlip,
  parseSlip,
  setStake,
  slipText,
  toggleKind,
  useSlip,
} from "./slipStore.ts";

const selected = () => [...useSlip.getState().selected];

beforeEach(() => {
  openSlip("7", 1);
  emptySlip();
  setStake("");
});

describe("the slip", () => {
  it("selects and releases a bet by the same press, on either tab", () => {
    toggleKind("big", 1980);
    toggleKind("27", 950_000);
    expect(selected()).toEqual([
      ["big", 1980],
      ["27", 950_000],
    ]);
    toggleKind("big", 1980);
    expect(selected()).toEqual([["27", 950_000]]);
  });

  it("takes no kind that it does not know", () => {
    toggleKind("pair", 3200);
    expect(selected()).toEqual([]);
  });

  it("keeps what was not accepted, with the odds at which it was chosen", () => {
    toggleKind("big", 1980);
    toggleKind("odd", 1980);
    dropKinds(["big"]);
    expect(selected()).toEqual([["odd", 1980]]);
  });

  it("takes changed odds only when asked to, and lets go what is no longer offered", () => {
    toggleKind("odd", 1980);
    toggleKind("13", 13_000);
    acceptOdds(new Map([["odd", 1950]]));
    expect(selected()).toEqual([["odd", 1950]]);
  });

  it("keeps the stake and the outstanding keys from hall to hall, but not the choice", () => {
    toggleKind("odd", 1980);
    setStake("50");
    useSlip.setState({ keys: new Map([["7/1/big/5000", "key"]]) });
    openSlip("7", 1);
    expect(selected()).toEqual([["odd", 1980]]);
    openSlip("7", 2);
    expect(useSlip.getState()).toMatchObject({ stake: "50", planId: 2 });
    expect(useSlip.getState().keys.size).toBe(1);
    expect(selected()).toEqual([]);
  });

  it("belongs to one player: another one begins with an empty one", () => {
    toggleKind("odd", 1980);
    useSlip.setState({ keys: new Map([["7/1/big/5000", "key"]]) });
    openSlip("8", 1);
    expect(selected()).toEqual([]);
    expect(useSlip.getState().keys.size).toBe(0);
  });

  it("comes back from storage as it was, and empty from what does not fit", () => {
    toggleKind("odd", 1980);
    useSlip.setState({ keys: new Map([["7/1/odd/5000", "key"]]) });
    expect(parseSlip(slipText(useSlip.getState()))).toEqual(useSlip.getState());
    for (const nonsense of [null, "", "null", "[", '{"selected":3}', '{"keys":[1]}']) {
      expect(parseSlip(nonsense).selected.size).toBe(0);
    }
    expect(parseSlip('{"selected":[["pair",1],["big",1980]]}').selected.size).toBe(1);
  });
});
