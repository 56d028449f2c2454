"""The writer's in-memory state, and the overlay on which a batch is decided.

The state changes only by `Overlay.merge`, after the batch is stored; an overlay that is not merged
leaves no trace. The state is a fold of the log and nothing else.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct, field

from engine.bets.facts import BetPlaced, BetRecalled, BetSettled, BetVoided
from engine.cashier.facts import ApprovedAlone, ReferenceCredited
from engine.cashier.payment_references import Credit, evolve_credit
from engine.cashier.solo_approvals import SoloApprovals, evolve_solo_approvals
from engine.facts import (
    HOUSE_STREAM,
    RECEIPTS_STREAM,
    SOLO_APPROVALS_STREAM,
    TOPICS,
    Fact,
    RecordedFact,
    encode,
    game_stream,
    player_of,
    player_stream,
    reference_stream,
    round_stream,
)
from engine.fairness.merkle import Tree, leaf_hash
from engine.fairness.receipts import receipt_of
from engine.house import game_day, house_state
from engine.house.facts import DayFact, OfficeFact, ProgramChecked, ReceiptsSigned
from engine.house.game_day import GameDay
from engine.house.house_state import HouseState
from engine.odds import TABLES
from engine.players import state as player_state
from engine.players.facts import PlayerFact
from engine.players.state import Player
from engine.rounds import state as round_state
from engine.rounds.facts import RoundFact, RoundOpened
from engine.rounds.state import BookedBet, Round
from engine.schedule import DEFAULT_TIMEZONE, Calendar, calendar_day

RoundKey = tuple[int, str]
SignHead = Callable[[int, bytes], bytes]
"""The operator's signature over a batch of receipts, by their number and tree head."""
BET_FACTS = (BetPlaced, BetSettled, BetRecalled, BetVoided)  # the most frequent first
BET_TOPICS = tuple(TOPICS[kind] for kind in BET_FACTS)


class Draft(Struct, frozen=True, gc=False):
    """A fact with its place in its stream, but not yet in the log."""

    stream: str
    version: int
    topic: str
    state: bytes
    fact: Fact


class EngineState(Struct):
    """The loaded players, the days, the unfinished rounds, and each game's newest.

    The voided rounds whose witness has not stated what was true are among the rounds too.

    `receipts_version` is that of the stream of signed receipts. Limits of a day, a week or a month
    follow the calendar of `timezone`, an IANA name.
    """

    timezone: str = DEFAULT_TIMEZONE
    players: dict[int, Player] = field(default_factory=dict)
    rounds: dict[RoundKey, Round] = field(default_factory=dict)
    newest: dict[int, RoundKey] = field(default_factory=dict)
    games: dict[int, GameDay] = field(default_factory=dict)
    receipts_version: int = 0
    house: HouseState = HouseState()
    solo_approvals: SoloApprovals = SoloApprovals()
    references: dict[str, Credit] = field(default_factory=dict)

    def missing(self, ids: Iterable[int]) -> list[int]:
        """The players among these that are not loaded."""
        return [player for player in dict.fromkeys(ids) if player not in self.players]

    def load_players(
        self,
        ids: Sequence[int],
        facts: Iterable[RecordedFact],
        snapshots: Mapping[int, Player] | None = None,
    ) -> None:
        """Load players from the facts of their streams, each stream in order.

        A player in `snapshots` starts from that state, and `facts` has only the later facts.
        """
        fresh = {player: Player(player) for player in ids} | dict(snapshots or {})
        day, stream, player = Calendar(self.timezone).day, "", Player(0)
        for recorded in facts:
            if recorded.stream != stream:
                stream = recorded.stream
                player = fresh[player_of(stream)]
            # A player's stream has no other facts; isinstance would cost as much as the fold.
            player_state.evolve(player, cast("PlayerFact", recorded.fact), day(recorded.at))
        for loaded in fresh.values():
            loaded.bets.merge()
        self.players.update(fresh)

    def evict_players(self, capacity: int) -> None:
        """Drop the least recently used players beyond `capacity`; they are reloaded on demand."""
        surplus = len(self.players) - capacity
        if surplus > capacity // 10:
            # Only now and then: listing all players costs as much as evicting thousands.
            for player in list(self.players)[:surplus]:
                del self.players[player]

    def load_house(self, facts: Iterable[RecordedFact]) -> None:
        """Load the house's state from the facts of its stream, in order."""
        for recorded in facts:
            assert isinstance(recorded.fact, OfficeFact | ProgramChecked)
            self.house = house_state.evolve(self.house, recorded.fact)

    def load_days(self, game: int, facts: Iterable[RecordedFact]) -> None:
        """Load a game's days and rounds from their facts, in the order of the log.

        A round's bets are not among them, so an unfinished round has an empty book until
        `load_bets`.
        """
        day = self.games[game] = GameDay(game)
        for recorded in facts:
            fact = recorded.fact
            if isinstance(fact, DayFact):
                game_day.evolve(day, fact)
            else:
                self._load_round(day, fact)

    def _load_round(self, day: GameDay, fact: Fact) -> None:
        assert isinstance(fact, RoundFact)
        key = (fact.game, fact.issue)
        if isinstance(fact, RoundOpened):
            self.rounds[key] = Round(fact, TABLES[fact.odds_table], segment=day.opened)
            self.newest[fact.game] = key
        round_ = self.rounds[key]
        round_state.evolve(round_, fact)
        game_day.track_round(day, fact, round_.opened.day)

    def load_bets(self, facts: Iterable[RecordedFact]) -> None:
        """Load the bets of the unfinished rounds into their books, in the order of the log."""
        for recorded in facts:
            fact = recorded.fact
            assert isinstance(fact, BetPlaced | BetRecalled | BetSettled | BetVoided)
            round_ = self.rounds.get((fact.game, fact.issue))
            if round_ is not None and not round_.finished:
                apply_bet_to_round(round_, player_of(recorded.stream), fact, recorded.at)
                round_.book.merge()

    def evict_rounds(self) -> None:
        """Drop the finished rounds that are not their game's newest and await no statement."""
        newest = set(self.newest.values())
        for key, round_ in list(self.rounds.items()):
            if round_.finished and not self._awaits_statement(round_) and key not in newest:
                del self.rounds[key]

    def awaiting_statement(self, game: int) -> list[Round]:
        """The game's voided rounds whose witness is asked what was true, oldest first."""
        of_game = (round_ for key, round_ in self.rounds.items() if key[0] == game)
        found = (round_ for round_ in of_game if self._awaits_statement(round_))
        return sorted(found, key=lambda round_: round_.opened.opens_at)

    def _awaits_statement(self, round_: Round) -> bool:
        """Whether a witness must state what was true of the round, and is still asked."""
        game = self.games[round_.opened.game]
        return round_.awaits_statement and game.asks_about(round_.opened.day)

    def unfinished_rounds(self, game: int) -> list[Round]:
        """The game's rounds that are opened and not finished, oldest first."""
        of_game = (round_ for key, round_ in self.rounds.items() if key[0] == game)
        unfinished = (round_ for round_ in of_game if not round_.finished)
        return sorted(unfinished, key=lambda round_: round_.opened.opens_at)


def apply_bet_to_round(
    round_: Round,
    player: int,
    fact: BetPlaced | BetRecalled | BetSettled | BetVoided,
    at: int,
) -> tuple[bytes, bytes] | None:
    """Update a round's book; returns a placed bet's receipt and its leaf, None for other facts."""
    match fact:
        case BetPlaced():
            receipt = receipt_of(player, fact, at)
            leaf = leaf_hash(receipt)
            round_.book.add(BookedBet(player, fact, leaf))
            return receipt, leaf
        case BetSettled():
            round_state.record_bet_result(round_, fact.bet, fact.stake_minor, fact.payout_minor)
        case BetRecalled(bet=bet):
            round_.book.remove(bet)
        case BetVoided(bet=bet, stake_minor=stake):
            round_state.record_bet_result(round_, bet, stake, stake)
    return None


class Overlay:
    """One batch's view: forks of what it changes, its facts so far, its receipts and their leaves.

    `day` is the calendar day of `now`. `applied` counts facts that began to change the overlay,
    including one whose application then failed.
    """

    __slots__ = (
        "_below",
        "_games",
        "_newest",
        "_players",
        "_receipts_version",
        "_references",
        "_rounds",
        "_state",
        "applied",
        "day",
        "drafts",
        "entries",
        "house",
        "leaves",
        "now",
        "solo_approvals",
    )

    def __init__(self, state: EngineState, now: int, below: "Overlay | None" = None) -> None:
        """Decide on `state` at the time `now`, microseconds since 1970.

        `below` is the previous batch, if it is not merged yet; it must be merged first.
        """
        self._state = state
        self._below = below
        self.now = now
        self.day = calendar_day(state.timezone, now)
        self.house: HouseState = below.house if below else state.house
        self.solo_approvals: SoloApprovals = below.solo_approvals if below else state.solo_approvals
        self._players: dict[int, Player] = {}
        self._rounds: dict[RoundKey, Round] = {}
        self._games: dict[int, GameDay] = {}
        self._newest: dict[int, RoundKey] = {}
        self._receipts_version = below.receipts_version if below else state.receipts_version
        self._references: dict[str, Credit] = {}
        self.applied = 0
        self.drafts: list[Draft] = []
        self.entries: list[bytes] = []
        self.leaves: list[bytes] = []

    def player(self, player: int) -> Player:
        """This player, who must be loaded."""
        fork = self._players.get(player)
        if fork is None:
            origin = self._below.touched_player(player) if self._below else None
            fork = (origin or self._state.players[player]).fork()
            self._players[player] = fork
        return fork

    def game(self, game: int) -> GameDay:
        """This game's day."""
        fork = self._games.get(game)
        if fork is None:
            origin = self._below.touched_game(game) if self._below else None
            fork = (origin or self._state.games[game]).fork()
            self._games[game] = fork
        return fork

    def round(self, game: int, issue: str) -> Round | None:
        """This round, if it is unfinished, its game's newest, or awaits a witness's statement."""
        fork = self._rounds.get((game, issue))
        if fork is None:
            below = self._below.touched_round(game, issue) if self._below else None
            origin = below or self._state.rounds.get((game, issue))
            if origin is not None:
                fork = self._rounds[game, issue] = origin.fork()
        return fork

    def newest(self, game: int) -> Round | None:
        """The game's newest round, on sale or not."""
        below = self._below.touched_newest(game) if self._below else None
        key = self._newest.get(game) or below or self._state.newest.get(game)
        return self.round(*key) if key else None

    def unfinished_rounds(self, game: int) -> list[Round]:
        """The game's rounds that are opened and not finished, oldest first."""
        keys = {*self._state.rounds, *self._rounds}
        if self._below:
            keys |= self._below.touched_rounds()
        candidates = (self.round(*key) for key in keys if key[0] == game)
        unfinished = [each for each in candidates if each is not None and not each.finished]
        return sorted(unfinished, key=lambda each: each.opened.opens_at)

    @property
    def receipts_version(self) -> int:
        """The version of the stream of signed receipts."""
        return self._receipts_version

    def touched_player(self, player: int) -> Player | None:
        """This batch's fork of the player, None if it has none."""
        return self._players.get(player)

    def touched_game(self, game: int) -> GameDay | None:
        """This batch's fork of a game's day, None if it has none."""
        return self._games.get(game)

    def touched_round(self, game: int, issue: str) -> Round | None:
        """This batch's fork of the round, None if it has none."""
        return self._rounds.get((game, issue))

    def touched_rounds(self) -> set[RoundKey]:
        """The rounds that this batch forked."""
        return set(self._rounds)

    def touched_newest(self, game: int) -> RoundKey | None:
        """The round that this batch opened for a game, None if it opened none."""
        return self._newest.get(game)

    def add_player_fact(self, player: Player, fact: PlayerFact) -> None:
        """Apply a fact about a player."""
        self.applied += 1
        if isinstance(fact, BET_FACTS):
            round_ = self.round(fact.game, fact.issue)
            assert round_ is not None
            placed = apply_bet_to_round(round_, player.id, fact, self.now)
            if placed is not None:
                self.entries.append(placed[0])
                self.leaves.append(placed[1])
        player_state.evolve(player, fact, self.day)
        self._draft(player_stream(player.id), player.version, fact)

    def add_round_fact(self, round_: Round | None, fact: RoundFact) -> None:
        """Apply a fact about a round; a new one has no state before its first fact."""
        self.applied += 1
        if isinstance(fact, RoundOpened):
            segment = self.game(fact.game).opened
            round_ = Round(fact, TABLES[fact.odds_table], segment=segment)
            self._rounds[fact.game, fact.issue] = round_
            self._newest[fact.game] = (fact.game, fact.issue)
        assert round_ is not None
        round_state.evolve(round_, fact)
        game_day.track_round(self.game(fact.game), fact, round_.opened.day)
        self._draft(round_stream(fact.game, fact.issue), round_.version, fact)

    def add_game_fact(self, game: GameDay, fact: DayFact) -> None:
        """Apply a fact about a game's day."""
        self.applied += 1
        game_day.evolve(game, fact)
        self._draft(game_stream(game.game), game.version, fact)

    def add_office_fact(self, fact: OfficeFact | ProgramChecked) -> None:
        """Apply a fact about the house: a change by staff, or a check of its program."""
        self.applied += 1
        self.house = house_state.evolve(self.house, fact)
        self._draft(HOUSE_STREAM, self.house.version, fact)

    def reference(self, reference: str) -> Credit:
        """The state of this payment reference, which must be loaded if it has facts."""
        below = self._below.touched_reference(reference) if self._below else None
        credit = self._references.get(reference) or below
        return credit or self._state.references.get(reference, Credit())

    def touched_reference(self, reference: str) -> Credit | None:
        """What this batch has credited under a reference, None if nothing."""
        return self._references.get(reference)

    def add_reference_fact(self, fact: ReferenceCredited) -> None:
        """Apply the fact that a deposit with a payment reference was credited."""
        self.applied += 1
        credit = evolve_credit(self.reference(fact.reference), fact, self.now)
        self._references[fact.reference] = credit
        self._draft(reference_stream(fact.reference), credit.version, fact)

    def add_solo_approval(self, fact: ApprovedAlone) -> None:
        """Apply the fact that a member of staff approved money alone."""
        self.applied += 1
        self.solo_approvals = evolve_solo_approvals(self.solo_approvals, fact, self.now)
        self._draft(SOLO_APPROVALS_STREAM, self.solo_approvals.version, fact)

    def sign_receipts(self, sign_head: SignHead) -> tuple[Tree, str] | None:
        """Sign the receipts of the batch's bets; returns their tree and the signature in hex.

        Returns None, and nothing is signed, if the batch has no bets.
        """
        if not self.leaves:
            return None
        tree = Tree(self.leaves)
        signature = sign_head(len(self.leaves), tree.head).hex()
        self._receipts_version += 1
        signed = ReceiptsSigned(len(self.leaves), tree.head.hex(), signature)
        self._draft(RECEIPTS_STREAM, self._receipts_version, signed)
        return tree, signature

    def _draft(self, stream: str, version: int, fact: Fact) -> None:
        self.drafts.append(Draft(stream, version, TOPICS[type(fact)], encode(fact), fact))

    def due_snapshots(self, every: int) -> list[int]:
        """The players whose streams pass a multiple of `every` facts with this batch.

        Excludes players evicted after the previous batch, if this one was decided ahead.
        """
        before = self._state.players
        return [
            number
            for number, player in self._players.items()
            if number in before and player.version // every != before[number].version // every
        ]

    def merge(self) -> None:
        """Apply this batch's result to the state, after the batch is stored."""
        state = self._state
        for player, fork in self._players.items():
            # Reinserting a player moves it to the most recently used end.
            state.players.pop(player, None)
            fork.bets.merge()
            state.players[player] = fork
        for key, round_ in self._rounds.items():
            round_.book.merge()
            state.rounds[key] = round_
        state.games.update(self._games)
        state.newest.update(self._newest)
        state.receipts_version = self._receipts_version
        state.house = self.house
        state.solo_approvals = self.solo_approvals
        state.references.update(self._references)
        state.evict_rounds()
        self._below = None
