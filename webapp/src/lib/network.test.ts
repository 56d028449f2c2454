import { beforeEach, expect, test } from "vitest";
import { dismissLineOffer, noteAnswer, noteUnanswered, useNetwork } from "./network.ts";

const silent = () => useNetwork.getState().silent;

beforeEach(() => useNetwork.setState({ weak: {}, answeredAt: null, silent: null }));

test("a line is silent when a call was given up and no other was answered meanwhile", () => {
  noteAnswer(99);
  noteUnanswered(0, 100);
  expect(silent()).toEqual({ line: 0, waved: false });
});

test("a line that answered another call meanwhile is not silent", () => {
  noteAnswer(100);
  noteUnanswered(0, 100);
  expect(silent()).toBeNull();
});

test("who waves the offer away hears no more of it until the line has answered", () => {
  noteUnanswered(0, 100);
  dismissLineOffer();
  noteUnanswered(0, 200);
  expect(silent()).toEqual({ line: 0, waved: true });
  noteAnswer(300);
  expect(silent()).toBeNull();
  noteUnanswered(0, 400);
  expect(silent()).toEqual({ line: 0, waved: false });
});

test("that the other line is silent too is news", () => {
  noteUnanswered(0, 100);
  dismissLineOffer();
  noteUnanswered(1, 200);
  expect(silent()).toEqual({ line: 1, waved: false });
});
