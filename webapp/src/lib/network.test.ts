import { beforeEach, expect, test } from "vitest";
import { dismissLineOffer, recordAnswer, recordUnanswered, useNetwork } from "./network.ts";

const silent = () => useNetwork.getState().silent;

beforeEach(() => useNetwork.setState({ retrying: {}, answeredAt: null, silent: null }));

test("a line is silent when a call was given up and no other was answered meanwhile", () => {
  recordAnswer(99);
  recordUnanswered(0, 100);
  expect(silent()).toEqual({ line: 0, waved: false });
});

test("a line that answered another call meanwhile is not silent", () => {
  recordAnswer(100);
  recordUnanswered(0, 100);
  expect(silent()).toBeNull();
});

test("who waves the offer away hears no more of it until the line has answered", () => {
  recordUnanswered(0, 100);
  dismissLineOffer();
  recordUnanswered(0, 200);
  expect(silent()).toEqual({ line: 0, waved: true });
  recordAnswer(300);
  expect(silent()).toBeNull();
  recordUnanswered(0, 400);
  expect(silent()).toEqual({ line: 0, waved: false });
});

test("that the other line is silent too is news", () => {
  recordUnanswered(0, 100);
  dismissLineOffer();
  recordUnanswered(1, 200);
  expect(silent()).toEqual({ line: 1, waved: false });
});
