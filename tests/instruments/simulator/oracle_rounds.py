"""The oracle's rules for days and rounds: in order, in time, and finished once."""

from typing import Final

from tests.instruments.simulator.oracle import ExpectedRound, LogRecord, Oracle, Rule, check


def _round_opened(oracle: Oracle, record: LogRecord) -> None:
    fact = record.fact
    game = fact["game"]
    check(fact["opens_at"] <= record.at < fact["closes_at"], "a round opened out of time", record)
    check(fact["index"] == oracle.indices[game] + 1, "a round out of order", record)
    check((game, fact["issue"]) not in oracle.rounds, "a round opened twice", record)
    oracle.indices[game] = fact["index"]
    places = (fact["opens_at"], fact["closes_at"], fact["draws_at"])
    opened = ExpectedRound(game, fact["index"], fact["issue"], *places)
    before = oracle.newest.get(game)
    if before is not None and before.phase in {"settled", "voided"}:
        del oracle.rounds[game, before.issue]
    oracle.rounds[game, opened.issue] = oracle.newest[game] = opened


def _round_of(oracle: Oracle, record: LogRecord, *phases: str) -> ExpectedRound:
    found = oracle.rounds.get((record.fact["game"], record.fact["issue"]))
    check(found is not None, "a round that is over continues", record)
    assert found is not None
    check(found.phase in phases, f"{record.topic} of a round that is {found.phase}", record)
    return found


def _round_closed(oracle: Oracle, record: LogRecord) -> None:
    fact, round_ = record.fact, _round_of(oracle, record, "open")
    check(record.at >= round_.closes_at == fact["closes_at"], "a close before its time", record)
    frozen = (fact["count"], fact["stake_minor"], fact["stakes"])
    expected = (round_.open_bets, round_.stakes.total(), dict(+round_.stakes))
    check(frozen == expected, "the frozen set is not the open bets", record, expected)
    round_.phase = "closed"


def _round_drawn(oracle: Oracle, record: LogRecord) -> None:
    round_ = _round_of(oracle, record, "closed")
    check(record.at >= round_.draws_at, "a draw before its time", record)
    digits = record.fact["digits"]
    check(all(0 <= digit <= 9 for digit in digits), "no digits", record)
    check(sum(digits) == record.fact["total"], "another sum than the digits'", record)
    round_.phase, round_.total = "drawn", sum(digits)


def _round_settled(oracle: Oracle, record: LogRecord) -> None:
    round_ = _round_of(oracle, record, "drawn")
    _check_totals(round_, record, ("count", "stake_minor", "payout_minor"))
    round_.phase = "settled"


def _round_voided(oracle: Oracle, record: LogRecord) -> None:
    round_ = _round_of(oracle, record, "closed")
    _check_totals(round_, record, ("count", "stake_minor"))
    round_.phase = "voided"


def _void_ruled(oracle: Oracle, record: LogRecord) -> None:
    round_ = _round_of(oracle, record, "closed")
    check(record.at >= round_.draws_at, "a void before the draw was due", record)
    people = {record.fact["proposed_by"], record.fact["agreed_by"]}
    check(len(people - {""}) == 2, "a void by one person", record)


def _answered_late(_oracle: Oracle, record: LogRecord) -> None:
    fact = record.fact
    check(fact["statement"] in _STATEMENTS, "a statement that no witness makes", record)
    is_signed = bool(fact["witness_signature"])
    check(is_signed == bool(fact["witness_secret"]), "a signature without its link", record)
    check(is_signed or fact["statement"] != "not_released", "an unsigned denial", record)


_STATEMENTS: Final = ("released", "not_released", "unknown")


def _check_totals(round_: ExpectedRound, record: LogRecord, names: tuple[str, ...]) -> None:
    check(round_.open_bets == 0, "a bet of a finished round is unanswered", record)
    recorded = {name: record.fact[name] for name in names}
    counted = {name: round_.results[name] for name in names}
    check(recorded == counted, "a finished round's sums are wrong", recorded, counted)


def _day_opened(oracle: Oracle, record: LogRecord) -> None:
    game = record.fact["game"]
    selling = [
        each for each in oracle.unfinished_rounds() if each.game == game and each.phase == "open"
    ]
    check(not selling, "a day begins while a round is on sale", record)
    oracle.indices[game] = record.fact["first"] - 1


def _rounds_skipped(oracle: Oracle, record: LogRecord) -> None:
    game = record.fact["game"]
    unfinished = [each for each in oracle.unfinished_rounds() if each.game == game]
    check(not unfinished, "links are revealed while a round is unfinished", record)
    check(record.fact["first"] == oracle.indices[game] + 1, "skipped rounds out of order", record)
    oracle.indices[game] = record.fact["last"]


def _receipts_signed(oracle: Oracle, record: LogRecord) -> None:
    check(record.fact["size"] == oracle.unsigned, "not every receipt was signed", record)
    oracle.unsigned = 0


def _accept(_oracle: Oracle, _record: LogRecord) -> None:
    """No check beyond those of the other rules."""


RULES: Final[dict[str, Rule]] = {
    "round-opened.1": _round_opened,
    "round-closed.1": _round_closed,
    "round-drawn.1": _round_drawn,
    "round-settled.1": _round_settled,
    "round-voided.1": _round_voided,
    "void-ruled.1": _void_ruled,
    "stakes-returned.1": _round_voided,
    "witness-answered-late.1": _answered_late,
    "segment-left.1": _accept,
    "rounds-carried.1": _accept,
    "day-opened.1": _day_opened,
    "rounds-skipped.1": _rounds_skipped,
    "receipts-signed.1": _receipts_signed,
}
