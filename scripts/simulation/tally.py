"""The house's books kept a second time, from the stored bytes alone.

Each fact is taken in under every rule that it could break; nothing of the engine is here. What
players hold, which bets stand and how far each round has come follows from `rules.py` and from
the log as it is written.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from scripts.simulation.rules import CAP_MINOR, ODDS_MILLI, SUMS, WINNING_SUMS, gross_minor

PARTS: Final = ("available", "staked", "withdrawing", "bonus")


class Broken(Exception):  # noqa: N818 - the simulation's finding
    """An invariant does not hold; the text says which and where."""


class Line(NamedTuple):
    """A fact as it stands in the log, its state parsed."""

    position: int
    stream: str
    version: int
    at: int
    key: str
    actor: str
    topic: str
    fact: dict[str, Any]

    @property
    def player(self) -> int:
        """Whose stream this is."""
        return int(self.stream.removeprefix("player-"))


@dataclass(slots=True)
class Bet:
    """A bet that stands."""

    id: str
    player: int
    game: int
    issue: str
    kind: str
    stake: int
    bonus: int


@dataclass(slots=True)
class Round:
    """A round that is owed, or its game's newest; `gross` is what each sum would pay."""

    game: int
    index: int
    issue: str
    opens_at: int
    closes_at: int
    draws_at: int
    phase: str = "open"
    total: int = -1
    standing: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    stakes: Counter[str] = field(default_factory=Counter)
    gross: list[int] = field(default_factory=lambda: [0 for _ in SUMS])

    def count(self, bet: Bet, sign: int) -> None:
        """A bet joins those that stand, or leaves them."""
        self.standing += sign
        self.stakes[bet.kind] += sign * bet.stake
        paid = sign * gross_minor(bet.kind, bet.stake)
        for total in WINNING_SUMS[bet.kind]:
            self.gross[total] += paid


def demand(holds: object, what: str, *about: object) -> None:
    """Broken unless it holds; `about` is shown with it."""
    if not holds:
        raise Broken(": ".join((what, *map(str, about))))


class Tally:
    """Everything that the log has told so far."""

    def __init__(self) -> None:
        """An empty log."""
        self.accounts: Counter[str] = Counter()
        self.groups: dict[int, int] = {}
        self.bets: dict[str, Bet] = {}
        self.rounds: dict[tuple[int, str], Round] = {}
        self.newest: dict[int, Round] = {}
        self.indices: dict[int, int] = {}
        self.versions: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.position = self.at = self.unsigned = 0

    def take(self, line: Line) -> None:
        """Take in the next fact of the log."""
        demand(line.position == self.position + 1, "a gap in the log", line)
        demand(line.version == self.versions[line.stream] + 1, "a gap in a stream", line)
        demand(line.at >= self.at, "time runs backwards in the log", line)
        self.position, self.at = line.position, line.at
        self.versions[line.stream] += 1
        self.done[line.topic] += 1
        rule = RULES.get(line.topic)
        demand(rule is not None, "the tally has no rule for this kind of fact", line.topic)
        assert rule is not None
        rule(self, line)

    def move(self, line: Line, legs: Mapping[str, int]) -> None:
        """Money moves between accounts; a name without a colon is a part of the player's."""
        demand(sum(legs.values()) == 0, "money was made or lost", line)
        for name, amount in legs.items():
            if ":" in name:
                self.accounts[name] += amount
                continue
            account = f"player:{line.player}:{name}"
            self.accounts[account] += amount
            demand(self.accounts[account] >= 0, f"{account} is below zero", line)

    def held(self, player: int) -> tuple[int, ...]:
        """What a player holds: available, staked, withdrawing, bonus."""
        return tuple(self.accounts[f"player:{player}:{part}"] for part in PARTS)

    def standing(self, line: Line) -> Bet:
        """The bet that a fact is about, which must stand and be this player's."""
        fact = line.fact
        bet = self.bets.get(fact["bet"])
        demand(bet is not None, "a bet is answered that does not stand", line)
        assert bet is not None
        demand(bet.player == line.player, "another's bet is answered", line)
        demand((bet.game, bet.issue) == (fact["game"], fact["issue"]), "a bet changed round", line)
        given = (fact["stake_minor"], fact["bonus_minor"])
        demand(given == (bet.stake, bet.bonus), "a bet changed its stake", line)
        return bet

    def phase(self, game: int, issue: str) -> str:
        """How far a round has come; empty when it is over and another has followed."""
        at_hand = self.rounds.get((game, issue))
        return at_hand.phase if at_hand is not None else ""

    def owed(self) -> list[Round]:
        """The rounds that are not finished."""
        return [each for each in self.rounds.values() if each.phase not in {"settled", "voided"}]


def _registered(tally: Tally, line: Line) -> None:
    demand(line.player not in tally.groups, "somebody joined twice", line)
    tally.groups[line.player] = line.fact["group"]


def _deposited(tally: Tally, line: Line) -> None:
    amount = line.fact["amount_minor"]
    demand(amount > 0, "a deposit of nothing", line)
    tally.move(line, {f"world:{line.fact['channel']}": -amount, "available": amount})


def _placed(tally: Tally, line: Line) -> None:
    fact = line.fact
    sale = tally.newest[fact["game"]]
    demand(fact["bet"] not in tally.bets, "a bet's id was used twice", line)
    demand(sale.issue == fact["issue"] and sale.phase == "open", "a bet after the close", line)
    demand(line.at < sale.closes_at == fact["closes_at"], "a bet after the close", line)
    demand(fact["odds_milli"] == ODDS_MILLI[fact["kind"]], "a bet at other odds", line)
    stake, bonus = fact["stake_minor"], fact["bonus_minor"]
    bet = Bet(fact["bet"], line.player, sale.game, sale.issue, fact["kind"], stake, bonus)
    tally.bets[bet.id] = bet
    tally.unsigned += 1
    sale.count(bet, 1)
    demand(max(sale.gross) <= CAP_MINOR, "more could be lost than the cap allows", line)
    tally.move(line, {"available": bonus - stake, "bonus": -bonus, "staked": stake})


def _returned(tally: Tally, line: Line) -> Round:
    bet = tally.standing(line)
    at_hand = tally.rounds[bet.game, bet.issue]
    del tally.bets[bet.id]
    at_hand.count(bet, -1)
    legs = {"available": bet.stake - bet.bonus, "bonus": bet.bonus, "staked": -bet.stake}
    tally.move(line, legs)
    return at_hand


def _recalled(tally: Tally, line: Line) -> None:
    sale = _returned(tally, line)
    in_time = sale.phase == "open" and line.at < sale.closes_at
    demand(in_time, "a recall after the close", line)


def _voided(tally: Tally, line: Line) -> None:
    at_hand = _returned(tally, line)
    demand(at_hand.phase == "closed", "a bet of a round that is not closed is voided", line)
    _answer(at_hand, line.fact["stake_minor"], 0)


def _settled(tally: Tally, line: Line) -> None:
    fact, bet = line.fact, tally.standing(line)
    at_hand = tally.rounds[bet.game, bet.issue]
    demand(at_hand.phase == "drawn", "a bet is settled without a draw", line)
    demand(fact["total"] == at_hand.total, "a bet is settled by another sum", line)
    won = at_hand.total in WINNING_SUMS[bet.kind]
    payout = gross_minor(bet.kind, bet.stake) if won else 0
    share = payout * bet.bonus // bet.stake
    paid = (fact["payout_minor"], fact["payout_bonus_minor"])
    demand(paid == (payout, share), f"paid {paid} instead of {(payout, share)}", line)
    del tally.bets[bet.id]
    at_hand.count(bet, -1)
    _answer(at_hand, bet.stake, payout)
    takings = {"staked": -bet.stake, "house:takings": bet.stake - payout}
    tally.move(line, {**takings, "available": payout - share, "bonus": share})


def _answer(at_hand: Round, stake: int, payout: int) -> None:
    at_hand.answered.update(count=1, stake_minor=stake, payout_minor=payout)


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


def _finish(at_hand: Round, line: Line, names: tuple[str, ...]) -> None:
    demand(at_hand.standing == 0, "a bet of a finished round is unanswered", line)
    told = {name: line.fact[name] for name in names}
    counted = {name: at_hand.answered[name] for name in names}
    demand(told == counted, "a finished round's sums are wrong", told, counted)


def _day_opened(tally: Tally, line: Line) -> None:
    game = line.fact["game"]
    owed = [each for each in tally.owed() if each.game == game]
    demand(not owed, "a day begins while a round is owed", line)
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


RULES: Final[dict[str, Callable[[Tally, Line], None]]] = {
    "player-registered.1": _registered,
    "deposit-approved.1": _deposited,
    "bet-placed.1": _placed,
    "bet-recalled.1": _recalled,
    "bet-settled.1": _settled,
    "bet-voided.1": _voided,
    "round-opened.1": _round_opened,
    "round-closed.1": _round_closed,
    "round-drawn.1": _round_drawn,
    "round-settled.1": _round_settled,
    "round-voided.1": _round_voided,
    "day-opened.1": _day_opened,
    "rounds-skipped.1": _rounds_skipped,
    "receipts-signed.1": _receipts_signed,
}
