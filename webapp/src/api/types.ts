import type { components, paths } from "./schema.d.ts";

/**
 * The wire types by the app's names for them; schema.d.ts is generated from the server's OpenAPI
 * description. Wire words (quantity, whether_hit, …) stop at the pages that show them.
 */

/** A type that one page uses is named there: `Schemas["SessionView"]`. */
export type Schemas = components["schemas"];

export type AppConfig = Schemas["Config"];
export type Banner = Schemas["Banner"];
export type Plan = Schemas["PlanItem"];
export type Tier = Plan["type"];
export type Game = Schemas["GameItem"];
export type Draw = Schemas["DrawMessage"];
export type CurrentRound = Schemas["RoundMessage"];
export type Balance = Schemas["WireBalance"];
export type BetMessage = Schemas["BetMessage"];
export type Heart = Schemas["Heart"];
export type SettledBet = Schemas["SettledBet"];
/** A player's round, win or lose, once all of its bets are settled. */
export type RoundResult = Schemas["RoundResult"];
export type OddsItem = Schemas["OddsItem"];
export type OddsList = Schemas["OddsList"];
export type Recalled = Schemas["Recalled"];
export type UserInfo = Schemas["UserInfo"];
export type Profile = Schemas["Profile"];
export type SafetyInfo = Schemas["SafetyInfo"];
export type Order = Schemas["OrderItem"];
export type LedgerEntry = Schemas["EntryItem"];
export type PayAccount = Schemas["PayAccount"];
export type PayoutType = PayAccount["type"];
export type WithdrawInfo = Schemas["WithdrawInfo"];
export type Withdrawal = Schemas["Withdrawal"];
export type Recharge = Schemas["Recharge"];
export type Protection = Schemas["Protection"];
export type LedgerType = LedgerEntry["type"];
export type Candle = Schemas["Candle"];
export type Trend = Schemas["Trend"];
export type Statistics = Schemas["Statistics"];
export type GameStatistics = Schemas["GameStatistics"];
/** Settled bets of a kind, or all bets of a book: what they paid against what was expected. */
export type ReturnRow = Schemas["ReturnStatistics"];
/** Limits and breaks that a player set, and the state of turnover, bonus and quota. */
export type Limit = Schemas["LimitView"];
/** Something of the news page; `content` is HTML. */
export type Article = Schemas["Article"];
export type News = Schemas["News"];
export type ChatMessage = Schemas["ChatMessage"];
/** Everything published about a round, by which anyone can check its draw. */
export type Proof = Schemas["DrawProof"];
/** A bet of the player's own within a proof. */
export type ProvenBet = Schemas["BetProof"];

/** The log's entry of an own fact. */
export type LogEntry = Schemas["LogEntry"];
/** A page of the log's entries of the player's account, proved in one checkpoint. */
export type AccountFacts = Schemas["AccountFacts"];

/** An operation that answers with the envelope. */
interface Answering {
  responses: { 200: { content: { "application/json": unknown } } };
}

interface Posted extends Answering {
  requestBody: { content: { "application/json": unknown } };
}

/** What an accepted call has in `data`. */
type Data<Call extends Answering> =
  Extract<Call["responses"][200]["content"]["application/json"], { code: 1 }> extends {
    data: infer Held;
  }
    ? Held
    : never;

type Described<Methods> = Methods extends { post: infer Post extends Posted }
  ? { body: Post["requestBody"]["content"]["application/json"]; data: Data<Post> }
  : Methods extends { get: infer Get extends Answering }
    ? { body: Record<string, never>; data: Data<Get> }
    : never;

/** Path below /api → what it takes and what its `data` holds. */
export type Calls = {
  [P in keyof paths as P extends `/api/${infer Below}` ? Below : never]: Described<paths[P]>;
};

export type Path = keyof Calls;

/** The envelope of every answer. `reason` names a refusal; `more` and `cursor` accompany a list. */
export interface Envelope<Data> {
  code: number;
  msg: unknown;
  time: number;
  data: Data;
  reason?: string;
  /** The request's field that a refusal is about. */
  field?: string;
  request_id?: string;
  more?: boolean;
  cursor?: string | null;
}
