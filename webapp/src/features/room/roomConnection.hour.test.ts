import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { BetMessage, Draw, Heart } from "../../api/types.ts";
import { FEED_LIMIT, RECALLS_KEPT } from "./feed/betFeed.ts";
import { type ConnectionDeps, connect, POLL_MS } from "./roomConnection.ts";
import { applyOwnBet, applyOwnRecall, newRoom } from "./roomReducer.ts";
import { changeRoom, useRoom } from "./roomStore.ts";
import { streamHandlers } from "./useRoomLive.ts";

const HEARTS = 1_800;
const HEARTS_A_ROUND = 15;
const BETS_A_HEART = 10;
/** Not about speed: a busy machine may take its time. */
const PATIENCE_MS = 60_000;
const SHOWN = 100;

const issueOf = (round: number) => String(20_261_122_000 + round);

const bet = (round: number, number: number): BetMessage => ({
  id: `b${round}-${number}`,
  nickname: "pl***1",
  issue: issueOf(round),
  play_method: "Big",
  play_type: "big",
  quantity: 10,
  after_quantity: 10,
  bot: false,
  createtime: round * 30 + Math.floor(number / 10),
});

const draw = (round: number): Draw => ({
  issue_code: issueOf(round),
  site_1: 5,
  site_2: 8,
  site_3: 2,
  code: 15,
  base: ["Big", "Odd"],
  createtime: round * 30,
});

/**
 * What the server would tell at this heartbeat: the round's newest bets, and every fifth recalled.
 */
function heartAt(at: number): Heart {
  const round = 1 + Math.floor(at / HEARTS_A_ROUND);
  const placed = (1 + (at % HEARTS_A_ROUND)) * BETS_A_HEART;
  const numbers = Array.from({ length: placed }, (_, number) => number);
  const recalled = numbers.filter((number) => number % 5 === 0);
  const won = { issue: issueOf(round - 1), game_id: 1, payout: 19.8, profit: 9.8, stake: 10 };
  return {
    last_issue: draw(round - 1),
    issue: {
      issue: issueOf(round),
      openTime1: 20,
      whether_close: 0,
      closes_at: round * 30_000 + 20_000,
      draws_at: round * 30_000 + 30_000,
      now: at * POLL_MS,
    },
    game_status: 1,
    user_quantity: { money: at, score: 0, version: at },
    hit_notice: [],
    message: numbers
      .filter((number) => number % 5 !== 0)
      .slice(-SHOWN)
      .map((number) => bet(round, number)),
    recalled: recalled.slice(-SHOWN).map((number) => bet(round, number).id),
    chat: [],
    chat_removed: [],
    win: { ...won, bets: [] },
  };
}

/** Everything that the room keeps, as long as it is when written out. */
function written(): number {
  const { feed, own, ...plain } = useRoom.getState();
  return JSON.stringify({ ...plain, ...feed, recalled: [...feed.recalled], own: [...own] }).length;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function expectBounded(): void {
  const { feed, own, clock } = useRoom.getState();
  expect(feed.bets.length).toBeLessThanOrEqual(FEED_LIMIT);
  expect(feed.recalled.size).toBeLessThanOrEqual(RECALLS_KEPT);
  expect(own.size).toBeLessThanOrEqual(FEED_LIMIT);
  expect(clock.offsetsMs.length).toBeLessThan(10);
}

it(
  "an hour of heartbeats with bets of one's own leaves the room no larger",
  async () => {
    useRoom.setState(newRoom(), true);
    let hearts = 0;
    const world: ConnectionDeps = {
      openStream: () =>
        Object.assign(new EventTarget(), { readyState: 0, close: () => {} }) as never,
      poll: async () => heartAt(hearts++),
      isVisible: () => true,
      onVisible: () => () => {},
    };
    const close = connect(world, streamHandlers);
    const sizes: number[] = [];
    while (hearts < HEARTS) {
      const own = bet(1 + Math.floor(hearts / HEARTS_A_ROUND), 1_000 + hearts);
      changeRoom((room) => applyOwnBet(room, own));
      if (hearts % 3 === 0) changeRoom((room) => applyOwnRecall(room, [own.id]));
      await vi.advanceTimersByTimeAsync(POLL_MS);
      if (hearts % HEARTS_A_ROUND === 0) expectBounded();
      if (hearts % (HEARTS_A_ROUND * 20) === 0) sizes.push(written());
    }
    close();
    const [early = 0] = sizes;
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThan(early * 1.1);
    expect(useRoom.getState().heart?.issue?.issue).toBe(issueOf(HEARTS / HEARTS_A_ROUND));
  },
  PATIENCE_MS,
);
