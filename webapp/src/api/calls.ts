import type {
  AppConfig,
  Draw,
  Game,
  Heart,
  LedgerEntry,
  LedgerType,
  OddsList,
  Order,
  PlacedBet,
  Profile,
  Recalled,
  UserInfo,
} from "./types.ts";

interface Dates {
  begin_date: string;
  end_date: string;
  cursor?: string;
}

interface Answer<Body, Data> {
  body: Body;
  data: Data;
}

/** Path → what it takes and what its `data` holds. */
export interface Calls {
  "index/index": Answer<Record<string, never>, AppConfig>;
  "Lottery/index": Answer<{ game_id: number }, { gameList: Game[] }>;
  "Lottery/heart": Answer<{ plan_id: number; game_id: number }, Heart>;
  "Lottery/oddsList": Answer<{ plan_id: number; game_id: number; id: number }, OddsList>;
  "Lottery/playOrder": Answer<
    { issue: string; plan_id: number; game_id: number; play_type: string; money: number },
    PlacedBet
  >;
  "Lottery/recall": Answer<{ issue: string; game_id: number; orderNo?: string }, Recalled>;
  "Lottery/issueList": Answer<{ game_id: number; cursor?: string }, Draw[]>;
  "user/register": Answer<
    { username: string; password: string; group_id: 1 | 2; inviter_id: string },
    { userinfo: UserInfo }
  >;
  "user/login": Answer<{ account: string; password: string }, { userinfo: UserInfo }>;
  "user/userInfo": Answer<Record<string, never>, Profile>;
  "user/orderList": Answer<Dates & { game_id?: number; issue_code?: string }, Order[]>;
  "user/quantityLogList": Answer<Dates & { type?: LedgerType }, LedgerEntry[]>;
}

export type Path = keyof Calls;
