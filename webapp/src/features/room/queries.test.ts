// @vitest-environment happy-dom
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import { createElement, type ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newQueryClient, useProfile } from "../../api/commonQueries.ts";
import type { Draw } from "../../api/types.ts";
import { emptySession, useSession } from "../../lib/session.ts";
import { useDraws, useRoundBets } from "./queries.ts";

const NEVER = new Promise<Response>(() => undefined);
const server = vi.fn<(url: string, init: RequestInit) => Promise<Response>>();
let queries = newQueryClient();

/** The server answers the first member, and leaves the second one waiting. */
function answer(url: string, init: RequestInit): Promise<Response> {
  if (new Headers(init.headers).get("token") !== "ann") return NEVER;
  const data = url.endsWith("orderList") ? [{ issue: "7", id: "ann's bet" }] : { username: "ann" };
  return Promise.resolve(new Response(JSON.stringify({ code: 1, data })));
}

const wrapper = ({ children }: { children: ReactNode }) =>
  createElement(QueryClientProvider, { client: queries }, children);

const become = (name: string) =>
  useSession.setState({ ...emptySession(), token: name, userId: name });

beforeEach(() => {
  queries = newQueryClient();
  server.mockImplementation(answer);
  vi.stubGlobal("fetch", server);
  become("ann");
});

afterEach(() => {
  queries.clear();
  vi.unstubAllGlobals();
});

test("another member who signs in is not shown the bets of the one before", async () => {
  const { result } = renderHook(() => useRoundBets(1, "7", false), { wrapper });
  await waitFor(() => expect(result.current.data).toHaveLength(1));
  act(() => become("ben"));
  expect(result.current.data).toBeUndefined();
});

test("what was read for one member does not stand in for another's answer", async () => {
  const { result } = renderHook(() => useProfile(), { wrapper });
  await waitFor(() => expect(result.current.data?.username).toBe("ann"));
  act(() => become("ben"));
  expect(result.current.data).toBeUndefined();
});

test("a draw heard of before the list arrived is still there after the next one", async () => {
  const draw = (issue: number) => ({ issue_code: String(issue) }) as Draw;
  let arrives = (_: Response) => {};
  server.mockReturnValue(
    new Promise((resolve) => {
      arrives = resolve;
    }),
  );
  const { result, rerender } = renderHook(({ last }) => useDraws(1, last), {
    wrapper,
    initialProps: { last: draw(102) },
  });
  arrives(new Response(JSON.stringify({ code: 1, data: [draw(101)] })));
  await waitFor(() => expect(result.current).toHaveLength(2));
  rerender({ last: draw(103) });
  expect(result.current.map(({ issue_code }) => issue_code)).toEqual(["103", "102", "101"]);
});
