"""The oracle's rules for bets: placed in time and within the cap, and answered once."""

from typing import Final

from tests.instruments.simulator.oracle import Bet, ExpectedRound, LogRecord, Oracle, Rule, check
from tests.instruments.simulator.rules import CAP_MINOR, ODDS_MILLI, WINNING_SUMS, gross_minor


def _registered(oracle: Oracle, record: LogRecord) -> None:
    check(record.player not in oracle.groups, "a player joined twice", record)
    oracle.groups[record.player] = record.fact["group"]
    if record.fact["bot"]:
        oracle.bots.add(record.player)


def _placed(oracle: Oracle, record: LogRecord) -> None:
    fact = record.fact
    round_ = oracle.newest[fact["game"]]
    check(fact["bet"] not in oracle.bets, "a bet's id was used twice", record)
    check(round_.issue == fact["issue"] and round_.phase == "open", "a bet after the close", record)
    check(record.at < round_.closes_at == fact["closes_at"], "a bet after the close", record)
    check(not _is_closed(oracle, record), "a bet where or by whom none is taken", record)
    check(fact["odds_milli"] == ODDS_MILLI[fact["kind"]], "a bet at other odds", record)
    stake, bonus = fact["stake_minor"], fact["bonus_minor"]
    bet = Bet(fact["bet"], record.player, round_.game, round_.issue, fact["kind"], stake, bonus)
    oracle.bets[bet.id] = bet
    oracle.unsigned += 1
    round_.count(bet, 1)
    check(max(round_.gross) <= CAP_MINOR, "more could be lost than the cap allows", record)
    oracle.move(record, {"available": bonus - stake, "bonus": -bonus, "staked": stake})


def _is_closed(oracle: Oracle, record: LogRecord) -> bool:
    """Whether staff or the player have closed this to bets."""
    settings, fact = oracle.settings, record.fact
    here = {"product", "all", f"game-{fact['game']}", f"plan-{fact['plan']}"}
    is_out = record.at < max(settings.blocked_until.get(record.player, (0,)))
    return bool(here & settings.switches) or record.player in settings.closed or is_out


def _returned(oracle: Oracle, record: LogRecord) -> ExpectedRound:
    bet = oracle.open_bet(record)
    round_ = oracle.rounds[bet.game, bet.issue]
    del oracle.bets[bet.id]
    round_.count(bet, -1)
    legs = {"available": bet.stake - bet.bonus, "bonus": bet.bonus, "staked": -bet.stake}
    oracle.move(record, legs)
    return round_


def _recalled(oracle: Oracle, record: LogRecord) -> None:
    round_ = _returned(oracle, record)
    in_time = round_.phase == "open" and record.at < round_.closes_at
    check(in_time, "a recall after the close", record)


def _voided(oracle: Oracle, record: LogRecord) -> None:
    round_ = _returned(oracle, record)
    check(round_.phase == "closed", "a bet of a round that is not closed is voided", record)
    _count_result(round_, record.fact["stake_minor"], 0)


def _settled(oracle: Oracle, record: LogRecord) -> None:
    fact, bet = record.fact, oracle.open_bet(record)
    round_ = oracle.rounds[bet.game, bet.issue]
    check(round_.phase == "drawn", "a bet is settled without a draw", record)
    check(fact["total"] == round_.total, "a bet is settled by another sum", record)
    is_counted = bet.player in round_.counted or bet.player in oracle.bots
    check(is_counted, "a bet is settled before its turnover is counted", record)
    won = round_.total in WINNING_SUMS[bet.kind]
    payout = gross_minor(bet.kind, bet.stake) if won else 0
    share = payout * bet.bonus // bet.stake
    paid = (fact["payout_minor"], fact["payout_bonus_minor"])
    check(paid == (payout, share), f"paid {paid} instead of {(payout, share)}", record)
    del oracle.bets[bet.id]
    round_.count(bet, -1)
    _count_result(round_, bet.stake, payout)
    takings = {"staked": -bet.stake, "house:takings": bet.stake - payout}
    oracle.move(record, {**takings, "available": payout - share, "bonus": share})


def _count_result(round_: ExpectedRound, stake: int, payout: int) -> None:
    round_.results.update(count=1, stake_minor=stake, payout_minor=payout)


RULES: Final[dict[str, Rule]] = {
    "player-registered.1": _registered,
    "bet-placed.1": _placed,
    "bet-recalled.1": _recalled,
    "bet-settled.1": _settled,
    "bet-voided.1": _voided,
}
