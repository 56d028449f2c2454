"""A reference model: keeps the books a second time, from the stored bytes only.

It checks each fact against all rules that apply to it, and uses nothing of the engine. Balances,
open bets and round phases follow from `rules.py` and from the log.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tests.instruments.simulator.rules import SUMS, WINNING_SUMS, gross_minor

PARTS: Final = ("available", "staked", "withdrawing", "bonus")


class InvariantViolation(Exception):  # noqa: N818 - the simulation's finding
    """An invariant is false; the text has the invariant and the place."""


class LogRecord(NamedTuple):
    """A fact as stored in the log, its state parsed."""

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
        """The player of the stream; -1 for the house's own."""
        kind, _, number = self.stream.partition("-")
        return int(number) if kind == "player" else -1


@dataclass(slots=True)
class Bet:
    """An open bet."""

    id: str
    player: int
    game: int
    issue: str
    kind: str
    stake: int
    bonus: int


@dataclass(slots=True)
class ExpectedRound:
    """An unfinished round, or its game's newest; `gross` is the payout for each sum."""

    game: int
    index: int
    issue: str
    opens_at: int
    closes_at: int
    draws_at: int
    phase: str = "open"
    total: int = -1
    open_bets: int = 0
    results: Counter[str] = field(default_factory=Counter)
    counted: set[int] = field(default_factory=set)
    bets: dict[int, list[Bet]] = field(default_factory=dict)
    stakes: Counter[str] = field(default_factory=Counter)
    gross: list[int] = field(default_factory=lambda: [0 for _ in SUMS])

    def count(self, bet: Bet, sign: int) -> None:
        """Add a bet to the open bets (`sign` 1), or remove it (-1)."""
        player_bets = self.bets.setdefault(bet.player, [])
        player_bets.append(bet) if sign > 0 else player_bets.remove(bet)
        self.open_bets += sign
        self.stakes[bet.kind] += sign * bet.stake
        paid = sign * gross_minor(bet.kind, bet.stake)
        for total in WINNING_SUMS[bet.kind]:
            self.gross[total] += paid


def check(condition: object, message: str, *details: object) -> None:
    """Raises InvariantViolation unless the condition is true; the message shows `details`."""
    if not condition:
        raise InvariantViolation(": ".join((message, *map(str, details))))


@dataclass(slots=True)
class OpenApproval:
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


class ExpectedSettings:
    """Pending and decided staff work, settings, and players' own protection.

    `founded` says whether the house's mode is recorded; `abandoned_orders` is the amount of each
    online order given up before its money was seen; `turnover_due` is each player's turnover due
    before a withdrawal; `blocked_until` until when players blocked themselves; `changes` the
    proposed account changes with player and proposer; `codes` who has a security code; `decided`
    every id that was decided; `proposals` the ids of open role proposals by name, `proposers` who
    made them; `passes` until when each person's is valid, `issued` the same also for ended passes,
    `removed` the managers whom one colleague removed, `pass_proposals` the fingerprint that a
    manager confirmed for each person, with the manager, `fingerprints` all ever used; `messages`
    the author of each message in the chat, and `muted` until when a player may not write;
    `proposed` the open proposals for the house with proposer and id, `agreed` the approved values;
    `single_approvals` the approvals by one person within the last day, `single_approval_ids` all
    requests ever approved so; `credited` how often each payment's reference was credited.
    """

    def __init__(self) -> None:
        """Initially empty; the terms are the specification's."""
        self.deposits: dict[tuple[int, str], OpenApproval] = {}
        self.withdrawals: dict[tuple[int, str], OpenApproval] = {}
        self.adjustments: dict[tuple[int, str], OpenApproval] = {}
        self.gifts: dict[tuple[int, str], OpenApproval] = {}
        self.bookings: dict[str, OpenApproval] = {}
        self.abandoned_orders: dict[tuple[int, str], int] = {}
        self.decided: set[tuple[str, int, str]] = set()
        self.turnover_due: Counter[int] = Counter()
        self.blocked_until: dict[int, tuple[int, int]] = {}
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
        self.pass_proposals: dict[str, tuple[str, str]] = {}
        self.fingerprints: set[str] = set()
        self.agreed: dict[str, Any] = {}
        self.proposed: dict[str, tuple[Any, str, str]] = {}
        self.four_eyes = 500_000
        self.single_approvals: list[tuple[int, str, int, int]] = []
        self.credited: Counter[str] = Counter()
        self.single_approval_ids: set[tuple[str, int, str]] = set()
        self.messages: dict[str, int] = {}
        self.muted: dict[int, int] = {}


class Oracle:
    """The expected state after all facts of the log so far."""

    def __init__(self, rules: "Mapping[str, Rule]") -> None:
        """An empty log; `rules` has a rule for each kind of fact."""
        self._rules = rules
        self.accounts: Counter[str] = Counter()
        self.groups: dict[int, int] = {}
        self.bots: set[int] = set()
        self.bets: dict[str, Bet] = {}
        self.rounds: dict[tuple[int, str], ExpectedRound] = {}
        self.newest: dict[int, ExpectedRound] = {}
        self.indices: dict[int, int] = {}
        self.versions: Counter[str] = Counter()
        self.topic_counts: Counter[str] = Counter()
        self.position = self.at = self.unsigned = 0
        self.settings = ExpectedSettings()

    def apply(self, record: LogRecord) -> None:
        """Check and apply the next fact of the log."""
        check(record.position == self.position + 1, "a gap in the log", record)
        check(record.version == self.versions[record.stream] + 1, "a gap in a stream", record)
        check(record.at >= self.at, "time runs backwards in the log", record)
        self.position, self.at = record.position, record.at
        self.versions[record.stream] += 1
        self.topic_counts[record.topic] += 1
        rule = self._rules.get(record.topic)
        check(rule is not None, "the oracle has no rule for this kind of fact", record.topic)
        assert rule is not None
        rule(self, record)

    def move(self, record: LogRecord, legs: Mapping[str, int]) -> None:
        """Move money between accounts; a name without a colon is a part of the player's."""
        check(sum(legs.values()) == 0, "money was made or lost", record)
        for name, amount in legs.items():
            if ":" in name:
                self.accounts[name] += amount
                continue
            account = f"player:{record.player}:{name}"
            self.accounts[account] += amount
            check(self.accounts[account] >= 0, f"{account} is below zero", record)

    def balances(self, player: int) -> tuple[int, ...]:
        """A player's balances: available, staked, withdrawing, bonus."""
        return tuple(self.accounts[f"player:{player}:{part}"] for part in PARTS)

    def open_bet(self, record: LogRecord) -> Bet:
        """The bet that a fact is about, which must be open and this player's."""
        fact = record.fact
        bet = self.bets.get(fact["bet"])
        check(bet is not None, "a bet is answered that does not stand", record)
        assert bet is not None
        check(bet.player == record.player, "another's bet is answered", record)
        check((bet.game, bet.issue) == (fact["game"], fact["issue"]), "a bet changed round", record)
        amounts = (fact["stake_minor"], fact["bonus_minor"])
        check(amounts == (bet.stake, bet.bonus), "a bet changed its stake", record)
        return bet

    def phase(self, game: int, issue: str) -> str:
        """The phase of a round; empty when it is over and another has followed."""
        round_ = self.rounds.get((game, issue))
        return round_.phase if round_ is not None else ""

    def unfinished_rounds(self) -> list[ExpectedRound]:
        """The rounds that are not finished."""
        return [each for each in self.rounds.values() if each.phase not in {"settled", "voided"}]


Rule = Callable[[Oracle, LogRecord], None]
