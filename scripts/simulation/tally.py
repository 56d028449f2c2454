"""The house's books kept a second time, from the stored bytes alone.

Each fact is taken in under every rule that it could break; nothing of the engine is here. What
players hold, which bets stand and how far each round has come follows from `rules.py` and from
the log as it is written.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from scripts.simulation.rules import SUMS, WINNING_SUMS, gross_minor

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
        """Whose stream this is; -1 for the house's own."""
        kind, _, number = self.stream.partition("-")
        return int(number) if kind == "player" else -1


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
    counted: set[int] = field(default_factory=set)
    bets: dict[int, list[Bet]] = field(default_factory=dict)
    stakes: Counter[str] = field(default_factory=Counter)
    gross: list[int] = field(default_factory=lambda: [0 for _ in SUMS])

    def count(self, bet: Bet, sign: int) -> None:
        """A bet joins those that stand, or leaves them."""
        mine = self.bets.setdefault(bet.player, [])
        mine.append(bet) if sign > 0 else mine.remove(bet)
        self.standing += sign
        self.stakes[bet.kind] += sign * bet.stake
        paid = sign * gross_minor(bet.kind, bet.stake)
        for total in WINNING_SUMS[bet.kind]:
            self.gross[total] += paid


def demand(holds: object, what: str, *about: object) -> None:
    """Broken unless it holds; `about` is shown with it."""
    if not holds:
        raise Broken(": ".join((what, *map(str, about))))


@dataclass(slots=True)
class Case:
    """A deposit, withdrawal, gift, correction or booking that is not decided yet."""

    player: int
    id: str
    amount: int
    how: str
    by: str = ""
    endorsed_by: str = ""
    repeats: bool = False
    reference: str = ""
    approved: bool = False


class Desk:
    """What staff have before them and have set, and what members have asked to be kept from.

    `founded` says whether the house's mode is recorded;
    `dropped` is the amount of each online order that was given up before anybody saw its money;
    `due` is each player's turnover still due before a withdrawal; `out` until when they shut
    themselves out; `changes` for whom staff proposed which account change, and who did; `codes`
    who has a security code; `ended` every id that was decided; `proposals` the id of what is open
    by name; `passes` until when each person's is good, `issued` the same
    also for ended passes, `removed` the managers whom one colleague removed, `sayings` the
    fingerprint that a manager said for them, and which manager, `fingerprints` all ever used;
    `messages` whose each message is that stands in the chat, and `muted` until when who may not
    speak; `wanted` what somebody proposed for the house, who, and its id, `agreed` what two agreed
    on; `alone` who approved how much for whom without a second person, and when, within the last
    day; `singly` all requests that were ever approved so; `credited` how often each payment's
    reference was credited.
    """

    def __init__(self) -> None:
        """Nothing on it yet; the terms are the specification's."""
        self.deposits: dict[tuple[int, str], Case] = {}
        self.withdrawals: dict[tuple[int, str], Case] = {}
        self.adjustments: dict[tuple[int, str], Case] = {}
        self.gifts: dict[tuple[int, str], Case] = {}
        self.bookings: dict[str, Case] = {}
        self.dropped: dict[tuple[int, str], int] = {}
        self.ended: set[tuple[str, int, str]] = set()
        self.due: Counter[int] = Counter()
        self.out: dict[int, tuple[int, int]] = {}
        self.closed: set[int] = set()
        self.codes: set[int] = set()
        self.changes: dict[str, tuple[int, str, str]] = {}
        self.switches: set[str] = set()
        self.managers: set[str] = set()
        self.proposals: dict[str, str] = {}
        self.proposers: dict[str, str] = {}
        self.passes: dict[str, int] = {}
        self.issued: dict[str, int] = {}
        self.founded = False
        self.removed: set[str] = set()
        self.sayings: dict[str, tuple[str, str]] = {}
        self.fingerprints: set[str] = set()
        self.agreed: dict[str, Any] = {}
        self.wanted: dict[str, tuple[Any, str, str]] = {}
        self.four_eyes = 500_000
        self.alone: list[tuple[int, str, int, int]] = []
        self.credited: Counter[str] = Counter()
        self.singly: set[tuple[str, int, str]] = set()
        self.messages: dict[str, int] = {}
        self.muted: dict[int, int] = {}


class Tally:
    """Everything that the log has told so far."""

    def __init__(self, rules: "Mapping[str, Rule]") -> None:
        """An empty log; `rules` says what each kind of fact may be and do."""
        self._rules = rules
        self.accounts: Counter[str] = Counter()
        self.groups: dict[int, int] = {}
        self.bots: set[int] = set()
        self.bets: dict[str, Bet] = {}
        self.rounds: dict[tuple[int, str], Round] = {}
        self.newest: dict[int, Round] = {}
        self.indices: dict[int, int] = {}
        self.versions: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.position = self.at = self.unsigned = 0
        self.desk = Desk()

    def take(self, line: Line) -> None:
        """Take in the next fact of the log."""
        demand(line.position == self.position + 1, "a gap in the log", line)
        demand(line.version == self.versions[line.stream] + 1, "a gap in a stream", line)
        demand(line.at >= self.at, "time runs backwards in the log", line)
        self.position, self.at = line.position, line.at
        self.versions[line.stream] += 1
        self.done[line.topic] += 1
        rule = self._rules.get(line.topic)
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


Rule = Callable[[Tally, Line], None]
