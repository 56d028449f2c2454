"""The tally's rules for days and rounds: in order, in time, and finished once."""

from typing import Final

from scripts.simulation.tally import Line, Round, Rule, Tally, demand


def _round_opened(tally: Tally, line: Line) -> None:
    fact = line.fact
    game = fact["game"]
    demand(fact["opens_at"] <= line.at < fact["closes_at"], "a round opened out of time", line)
    demand(fact["index"] == tally.indices[game] + 1, "a round out of order", line)
    demand((game, fact["issue"]) not in tally.rounds, "a round opened twice", line)
    tally.indices[game] = fact["index"]
    places = (fact["opens_at"], fact["closes_at"], fact["draws_at"])
    opened = Round(game, fact["index"], fact["issue"], *places)
    before = tally.newest.get(game)
    if before is not None and before.phase in {"settled", "voided"}:
        del tally.rounds[game, before.issue]
    tally.rounds[game, opened.issue] = tally.newest[game] = opened


def _at_hand(tally: Tally, line: Line, *phases: str) -> Round:
    found = tally.rounds.get((line.fact["game"], line.fact["issue"]))
    demand(found is not None, "a round that is over goes on", line)
    assert found is not None
    demand(found.phase in phases, f"{line.topic} of a round that is {found.phase}", line)
    return found


def _round_closed(tally: Tally, line: Line) -> None:
    fact, at_hand = line.fact, _at_hand(tally, line, "open")
    demand(line.at >= at_hand.closes_at == fact["closes_at"], "a close before its time", line)
    frozen = (fact["count"], fact["stake_minor"], fact["stakes"])
    standing = (at_hand.standing, at_hand.stakes.total(), dict(+at_hand.stakes))
    demand(frozen == standing, "the frozen set is not what stands", line, standing)
    at_hand.phase = "closed"


def _round_drawn(tally: Tally, line: Line) -> None:
    at_hand = _at_hand(tally, line, "closed")
    demand(line.at >= at_hand.draws_at, "a draw before its time", line)
    digits = line.fact["digits"]
    demand(all(0 <= digit <= 9 for digit in digits), "no digits", line)  # noqa: PLR2004
    demand(sum(digits) == line.fact["total"], "another sum than the digits'", line)
    at_hand.phase, at_hand.total = "drawn", sum(digits)


def _round_settled(tally: Tally, line: Line) -> None:
    at_hand = _at_hand(tally, line, "drawn")
    _finish(at_hand, line, ("count", "stake_minor", "payout_minor"))
    at_hand.phase = "settled"


def _round_voided(tally: Tally, line: Line) -> None:
    at_hand = _at_hand(tally, line, "closed")
    _finish(at_hand, line, ("count", "stake_minor"))
    at_hand.phase = "voided"


def _void_ruled(tally: Tally, line: Line) -> None:
    at_hand = _at_hand(tally, line, "closed")
    demand(line.at >= at_hand.draws_at, "a void before the draw was due", line)
    people = {line.fact["proposed_by"], line.fact["agreed_by"]}
    demand(len(people - {""}) == 2, "a void by one person", line)  # noqa: PLR2004


def _finish(at_hand: Round, line: Line, names: tuple[str, ...]) -> None:
    demand(at_hand.standing == 0, "a bet of a finished round is unanswered", line)
    told = {name: line.fact[name] for name in names}
    counted = {name: at_hand.answered[name] for name in names}
    demand(told == counted, "a finished round's sums are wrong", told, counted)


def _day_opened(tally: Tally, line: Line) -> None:
    game = line.fact["game"]
    selling = [each for each in tally.owed() if each.game == game and each.phase == "open"]
    demand(not selling, "a day begins while a round is on sale", line)
    tally.indices[game] = line.fact["first"] - 1


def _rounds_skipped(tally: Tally, line: Line) -> None:
    game = line.fact["game"]
    owed = [each for each in tally.owed() if each.game == game]
    demand(not owed, "links are revealed while a round is owed", line)
    demand(line.fact["first"] == tally.indices[game] + 1, "skipped rounds out of order", line)
    tally.indices[game] = line.fact["last"]


def _receipts_signed(tally: Tally, line: Line) -> None:
    demand(line.fact["size"] == tally.unsigned, "not every receipt was signed", line)
    tally.unsigned = 0


def _nothing(_tally: Tally, _line: Line) -> None:
    """What the other rules hold says enough."""


RULES: Final[dict[str, Rule]] = {
    "round-opened.1": _round_opened,
    "round-closed.1": _round_closed,
    "round-drawn.1": _round_drawn,
    "round-settled.1": _round_settled,
    "round-voided.1": _round_voided,
    "void-ruled.1": _void_ruled,
    "stakes-returned.1": _round_voided,
    "segment-left.1": _nothing,
    "rounds-carried.1": _nothing,
    "day-opened.1": _day_opened,
    "rounds-skipped.1": _rounds_skipped,
    "receipts-signed.1": _receipts_signed,
}
