"""The invariants of every log, checked fact by fact from the log alone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.facts import TOPICS, RecordedFact, encode
from engine.house.facts import RoundsSkipped
from engine.ledger import postings
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
)
from scripts.audit_tool.draw_audit import stored
from scripts.audit_tool.draw_audit.audit import DrawAudit
from scripts.audit_tool.draw_audit.stored import Row

RoundKey = tuple[int, str]


def audit(facts: Sequence[RecordedFact]) -> list[str]:
    """Returns the notes of the audit of the draws.

    Raises AssertionError if the order, money, rounds or draws of a whole log are wrong.
    """
    _check_order(facts)
    _check_money_conserved(facts)
    _check_bets_end_once(facts)
    _check_round_steps(facts)
    _check_indices_used_once(facts)
    return _check_draws(facts)


def _check_draws(facts: Sequence[RecordedFact]) -> list[str]:
    draws = DrawAudit()
    draws.read(rows(facts))
    assert draws.findings == []
    return [note.what for note in draws.notes]


def rows(facts: Iterable[RecordedFact]) -> Iterator[Row]:
    """The facts on which draws depend, as the log stores them."""
    for it in facts:
        topic = TOPICS[type(it.fact)]
        if topic in stored.TOPICS:
            yield it.position, it.stream, it.at, topic, encode(it.fact)


def _check_order(facts: Sequence[RecordedFact]) -> None:
    versions: Counter[str] = Counter()
    latest = 0
    for position, recorded in enumerate(facts, 1):
        versions[recorded.stream] += 1
        assert recorded.position == position
        assert recorded.version == versions[recorded.stream]
        assert recorded.at >= latest
        latest = recorded.at


def balances(facts: Sequence[RecordedFact]) -> Counter[str]:
    """The final balance of every account, in minor units."""
    amounts: Counter[str] = Counter()
    for recorded in facts:
        for posting in postings(recorded):
            amounts[posting.account] += posting.amount_minor
    return amounts


def _check_money_conserved(facts: Sequence[RecordedFact]) -> None:
    amounts: Counter[str] = Counter()
    for recorded in facts:
        legs = postings(recorded)
        assert sum(leg.amount_minor for leg in legs) == 0
        for leg in legs:
            amounts[leg.account] += leg.amount_minor
            assert amounts[leg.account] >= 0 or not leg.account.startswith("player:"), recorded
    assert sum(amounts.values()) == 0


def _check_bets_end_once(facts: Sequence[RecordedFact]) -> None:
    """A bet is placed while its round is open, and then recalled, settled or voided once."""
    selling: dict[RoundKey, int] = {}
    open_bets: dict[str, tuple[str, int]] = {}
    seen: set[str] = set()
    for recorded in facts:
        match recorded.fact:
            case RoundOpened(game=game, issue=issue, closes_at=closes_at):
                selling[game, issue] = closes_at
            case RoundClosed(game=game, issue=issue):
                del selling[game, issue]
            case BetPlaced(bet=bet, game=game, issue=issue, stake_minor=stake):
                assert recorded.at < selling[game, issue]
                assert bet not in seen
                seen.add(bet)
                open_bets[bet] = (recorded.stream, stake)
            case (
                BetRecalled(bet=bet, stake_minor=stake)
                | BetSettled(bet=bet, stake_minor=stake)
                | BetVoided(bet=bet, stake_minor=stake)
            ):
                assert open_bets.pop(bet) == (recorded.stream, stake)
            case _:
                pass


def _check_round_steps(facts: Sequence[RecordedFact]) -> None:
    """A round is opened, closed, drawn and settled once each, in this order; the sums agree."""
    steps: defaultdict[RoundKey, list[str]] = defaultdict(list)
    frozen: dict[RoundKey, tuple[int, int]] = {}
    paid: Counter[RoundKey] = Counter()
    for recorded in facts:
        fact = recorded.fact
        if isinstance(fact, RoundOpened | RoundClosed | RoundDrawn | RoundSettled | RoundVoided):
            steps[fact.game, fact.issue].append(type(fact).__name__)
        if isinstance(fact, BetSettled):
            paid[fact.game, fact.issue] += fact.payout_minor
        if isinstance(fact, RoundClosed):
            frozen[fact.game, fact.issue] = (fact.count, fact.stake_minor)
        if isinstance(fact, RoundSettled):
            key = (fact.game, fact.issue)
            assert (fact.count, fact.stake_minor) == frozen[key]
            assert fact.payout_minor == paid[key]
    whole = ["RoundOpened", "RoundClosed", "RoundDrawn", "RoundSettled"]
    voided = ["RoundOpened", "RoundClosed", "RoundVoided"]
    for taken in steps.values():
        assert taken in (whole[: len(taken)], voided)


def _check_indices_used_once(facts: Sequence[RecordedFact]) -> None:
    """No two rounds share a public number; in a segment no index is used or skipped twice."""
    issues: set[RoundKey] = set()
    newest: Counter[tuple[int, str]] = Counter()
    for recorded in facts:
        fact = recorded.fact
        if isinstance(fact, RoundOpened):
            assert (fact.game, fact.issue) not in issues
            issues.add((fact.game, fact.issue))
            assert fact.index > newest[fact.game, fact.day]
            newest[fact.game, fact.day] = fact.index
        if isinstance(fact, RoundsSkipped):
            assert newest[fact.game, fact.day] < fact.first <= fact.last
            newest[fact.game, fact.day] = fact.last


def unfinished_rounds(facts: Sequence[RecordedFact]) -> set[RoundKey]:
    """The rounds that were opened and are neither settled nor voided."""
    opened: set[RoundKey] = set()
    for recorded in facts:
        fact = recorded.fact
        if isinstance(fact, RoundOpened):
            opened.add((fact.game, fact.issue))
        if isinstance(fact, RoundSettled | RoundVoided | StakesReturned):
            opened.remove((fact.game, fact.issue))
    return opened
