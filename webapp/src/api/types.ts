/**
 * The wire format, written by hand from the specification's §§3, 5 and 7. Its words
 * (quantity, whether_hit, …) stop at the pages that show them.
 */

export type Tier = 0 | 1 | 2;

export interface AppConfig {
  banner: { image: string }[];
  kefu: { online: string; ws: string };
  demo: boolean;
  operator: { name: string; licence: string; jurisdiction: string; minimum_age: number };
  announcements: { id: number | string; title: string; content: string }[];
  version: string;
  games: { id: number; name: string }[];
}

export interface Plan {
  id: number;
  game_id: number;
  title: string;
  type: Tier;
  vip: Tier;
  min_limit: number;
  join_limit: number;
}

export interface Game {
  id: number;
  name: string;
  /** `last_code` is "5 8 2 15": three digits and their sum, or empty before the first draw. */
  issue: { last_issue: string; last_code: string };
  planList: Plan[];
}

export interface Draw {
  issue_code: string;
  site_1: number;
  site_2: number;
  site_3: number;
  code: number;
  base: string[];
  createtime?: number;
}

export interface CurrentRound {
  issue: string;
  /** Whole seconds to the close. */
  openTime1: number;
  whether_close: 0 | 1;
  /** Milliseconds since the epoch, by the server's clock, as `now` is. */
  closes_at: number;
  draws_at: number;
  now: number;
}

export interface Balance {
  money: number;
  score: number;
  version: number;
}

export interface Winner {
  nickname: string;
  game_name: string;
  profit: number;
  issue: string;
}

export interface BetMessage {
  id: string;
  nickname: string;
  issue: string;
  /** The bet's name in the caller's language; `play_type` is its kind. */
  play_method: string;
  play_type: string;
  quantity: number;
  /** The stake in feeds; the caller's true balance in the answer to playOrder. */
  after_quantity: number;
  bot: boolean;
  createtime: number;
}

export interface Heart {
  last_issue: Draw | null;
  issue: CurrentRound | null;
  game_status: 0 | 1;
  user_quantity: Balance | null;
  hit_notice: Winner[];
  message: BetMessage[];
  recalled: string[];
}

export interface OddsItem {
  class: string;
  class_name: string;
  odds: number;
  ischeck: boolean;
  return_percent: number;
}

export interface OddsList {
  odds_table: string;
  rule_base: OddsItem[];
  rule_num: OddsItem[];
  /** Profit per 1 u staked on a sum. */
  num_code: Record<string, number>;
}

export interface PlacedBet extends Omit<BetMessage, "bot"> {
  bot?: boolean;
  orderNo: string;
  balance_version: number;
  odds: number;
  receipt: Record<string, unknown>;
}

export interface Recalled {
  recalled: string[];
  count: number;
  /** What came back, in u. */
  money: number;
  after_quantity: number;
  balance_version: number;
}

export interface UserInfo {
  user_id: number | string;
  id: number | string;
  token: string;
  money: number;
  group_id: 1 | 2;
  username: string;
}

export interface Profile {
  username: string;
  nickname: string;
  today_profit: number;
  money: number;
  /** Yesterday's profit. */
  profit: number;
  total_assets: number;
  score: number;
  incode: string;
  group_id: 1 | 2;
  idcard: string | null;
  user_id: number | string;
  version: number;
}

/** 0 accepted, 1 settled, 2 recalled, 3 voided. */
export type OrderStatus = 0 | 1 | 2 | 3;

export interface Order {
  createtime: number;
  title: string;
  play_method: string;
  play_type: string;
  plan_name: string;
  game_id: number;
  plan_id: number;
  status: OrderStatus;
  whether_hit: 0 | 1;
  /** Payout − stake; 0 while pending. */
  profit: number;
  payout: number;
  odds: number;
  issue: string;
  quantity: number;
  orderNo: string;
  lottery_code: string;
}

/** 0 deposit, 1 withdraw, 2 purchase, 3 profit, 4 gift. */
export type LedgerType = 0 | 1 | 2 | 3 | 4;

export interface LedgerEntry {
  id: number | string;
  type: LedgerType;
  /** 0 not passed, 1 passed, 2 rejected. */
  status: 0 | 1 | 2;
  mark: string;
  createtime: number;
  quantity: number;
  before: number;
  over: number;
  version: number;
  position: number;
}
