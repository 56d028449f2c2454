/**
 * What goes over the wire, by the names that the app has for it; schema.d.ts is made from the
 * server's own description. Its words (quantity, whether_hit, …) stop at the pages that show them.
 */
import type { components } from "./schema.d.ts";

type Schemas = components["schemas"];

export type AppConfig = Schemas["Config"];
export type Banner = Schemas["Banner"];
export type Plan = Schemas["PlanItem"];
export type Tier = Plan["type"];
export type Game = Schemas["GameItem"];
export type Draw = Schemas["DrawMessage"];
export type CurrentRound = Schemas["RoundMessage"];
export type Balance = Schemas["WireBalance"];
export type Winner = Schemas["WinnerNotice"];
export type BetMessage = Schemas["BetMessage"];
export type Heart = Schemas["Heart"];
export type SettledBet = Schemas["SettledBet"];
/** A member's round, win or lose, once all of its bets are settled. */
export type RoundResult = Schemas["RoundResult"];
export type OddsItem = Schemas["OddsItem"];
export type OddsList = Schemas["OddsList"];
export type PlacedBet = Schemas["PlacedBet"];
export type Recalled = Schemas["Recalled"];
export type UserInfo = Schemas["UserInfo"];
export type Profile = Schemas["Profile"];
export type SafetyInfo = Schemas["SafetyInfo"];
export type SessionShown = Schemas["SessionView"];
export type Order = Schemas["OrderItem"];
export type OrderStatus = Order["status"];
export type LedgerEntry = Schemas["EntryItem"];
export type PayAccount = Schemas["PayAccount"];
export type PayoutType = PayAccount["type"];
export type WithdrawInfo = Schemas["WithdrawInfo"];
export type Withdrawal = Schemas["Withdrawal"];
export type Recharge = Schemas["Recharge"];
export type DepositNotice = Schemas["DepositNotice"];
export type Protection = Schemas["Protection"];
export type LedgerType = LedgerEntry["type"];
export type Candle = Schemas["Candle"];
export type Trend = Schemas["Trend"];
/** What protects a member from themselves, and how their turnover, bonus and quota stand. */
export type Limit = Schemas["LimitView"];
export type Progress = Schemas["TurnoverProgress"];
/** Something of the news page; `content` is HTML. */
export type Article = Schemas["Article"];
export type ArticleTab = Schemas["ArticleTab"];
export type News = Schemas["News"];
export type InboxMessage = Schemas["InboxMessage"];
export type ChatMessage = Schemas["ChatMessage"];
/** All that was published of a round, for anybody to check its draw. */
export type Proof = Schemas["DrawProof"];
/** A bet of the member's own within a proof. */
export type ProvenBet = Schemas["BetProof"];
