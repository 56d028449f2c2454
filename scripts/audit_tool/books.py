"""All accounts, folded fact by fact, with the invariants checked. Pure.

- Each fact's postings sum to zero, and so do all accounts at every position.
- No account of a player is ever below zero; `world:*` and `house:*` may be.
- A player's facts move only that player's money.
- No position is missing.

Bots have separate books: every posting of a fact in a bot's stream is in the bots' book, on every
account, so that each of the two books sums to zero. All other facts are in the members' book.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct

from engine.facts import RecordedFact
from engine.ledger import Posting
from engine.players.facts import PlayerRegistered
from scripts.audit_tool import FindingError
from scripts.audit_tool.accounts import balanced_postings

MEMBERS, BOTS = "members", "bots"
LIABILITY_PARTS = ("available", "bonus", "staked", "withdrawing")


class AccountBalance(Struct, frozen=True):
    """The balance of an account, or of one part of all players of a book, in minor units."""

    book: str
    account: str
    amount_minor: int


class Violation(Struct, frozen=True):
    """A violated invariant, the first position of it, and the number of positions."""

    rule: str
    position: int
    what: str
    times: int


class BooksState(Struct, frozen=True):
    """The books after a position, to continue from there.

    `players` has the balance of each part by the player's stream; `bots` are the streams of bots;
    `lines` are those of `Books.lines`. Amounts are minor units.
    """

    position: int
    players: dict[str, dict[str, int]]
    bots: list[str]
    lines: list[AccountBalance]


class Books:
    """The balances of all accounts after the facts applied so far."""

    def __init__(self, state: BooksState | None = None) -> None:
        """Initially as they were in `state`, or empty, before the first fact."""
        state = state or BooksState(0, {}, [], [])
        self.position = state.position
        self._sums = Counter({(it.book, it.account): it.amount_minor for it in state.lines})
        self._players = state.players
        self._bots = set(state.bots)
        self._first: dict[str, tuple[int, str]] = {}
        self._times: Counter[str] = Counter()
        self._total = 0

    def apply(self, recorded: RecordedFact) -> None:
        """Apply the next fact of the log."""
        position = recorded.position
        if position != self.position + 1:
            self._record_violation("gapless", position, f"it follows position {self.position}")
        self.position = position
        if recorded.stream.startswith("player-"):
            self._register_player(recorded)
        try:
            legs = balanced_postings(recorded)
        except FindingError as error:
            self._record_violation("zero-sum", position, str(error))
            return
        for leg in legs:
            self._post(recorded, leg)
        if legs and self._total:
            self._record_violation(
                "zero-sum", position, f"all accounts sum to {self._total} minor units"
            )

    def missing(self, position: int) -> None:
        """Record that the log ends before this position."""
        self._record_violation("gapless", position, f"the last one found is {self.position}")

    def _register_player(self, recorded: RecordedFact) -> None:
        self._players.setdefault(recorded.stream, {})
        if isinstance(recorded.fact, PlayerRegistered) and recorded.fact.bot:
            self._bots.add(recorded.stream)

    def _post(self, recorded: RecordedFact, leg: Posting) -> None:
        self._total += leg.amount_minor
        book = BOTS if recorded.stream in self._bots else MEMBERS
        kind, _, rest = leg.account.partition(":")
        if kind != "player":
            self._sums[book, leg.account] += leg.amount_minor
            return
        number, _, part = rest.partition(":")
        owner = f"player-{number}"
        if owner != recorded.stream:
            what = f"a fact of {recorded.stream} moves {leg.account}"
            self._record_violation("own-money", recorded.position, what)
        balances = self._players.setdefault(owner, {})
        balances[part] = balances.get(part, 0) + leg.amount_minor
        self._sums[book, f"players:{part}"] += leg.amount_minor
        if balances[part] < 0:
            what = f"{leg.account} is at {balances[part]} minor units"
            self._record_violation("never-negative", recorded.position, what)

    def _record_violation(self, rule: str, position: int, what: str) -> None:
        self._first.setdefault(rule, (position, what))
        self._times[rule] += 1

    def state(self) -> BooksState:
        """Returns the books as they are now; the players' balances are not copied."""
        return BooksState(self.position, self._players, sorted(self._bots), self.lines())

    @property
    def bots(self) -> AbstractSet[str]:
        """The streams of the bots."""
        return self._bots

    def balances(self, stream: str) -> Mapping[str, int]:
        """Returns the balance of each part of a player's account that ever had one."""
        return self._players.get(stream, {})

    def lines(self) -> list[AccountBalance]:
        """Returns both books, each with its accounts by name."""
        places = {MEMBERS: 0, BOTS: 1}
        keys = sorted(self._sums, key=lambda key: (places[key[0]], key[1]))
        return [AccountBalance(book, account, self._sums[book, account]) for book, account in keys]

    def findings(self) -> Iterator[Violation]:
        """Yields the violations, earliest first."""
        for rule, (position, what) in sorted(self._first.items(), key=lambda item: item[1]):
            yield Violation(rule, position, what, self._times[rule])

    def players(self, book: str) -> int:
        """Returns the number of players in a book."""
        return len(self._bots) if book == BOTS else len(self._players) - len(self._bots)

    def liabilities(self) -> dict[str, int]:
        """Returns the liability to players by part, in minor units; there is none to bots."""
        return {part: self._sums[MEMBERS, f"players:{part}"] for part in LIABILITY_PARTS}
