import { beforeEach, describe, expect, it } from "vitest";
import { acceptOdds, dropKinds, emptySlip, setStake, toggleKind, useSlip } from "./slipStore.ts";

const selected = () => [...useSlip.getState().selected];

beforeEach(() => {
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

  it("takes changed odds only when asked to", () => {
    toggleKind("odd", 1980);
    acceptOdds(new Map([["odd", 1950]]));
    expect(selected()).toEqual([["odd", 1950]]);
  });

  it("keeps the stake and the outstanding keys from room to room", () => {
    setStake("50");
    useSlip.setState({ keys: new Map([["7/1/big/5000", "key"]]) });
    emptySlip();
    expect(useSlip.getState()).toMatchObject({ stake: "50" });
    expect(useSlip.getState().keys.size).toBe(1);
  });
});
