"""A house in memory, for property suites and notebooks: real decisions without a database or I/O.

The caller has the clock and the seed. The same commands at the same times, under the same seed,
give the same log; a refused command leaves no trace in it. Both parties of a draw are in memory, so
a sandbox proves nothing to anyone else: the seed gives every result away.

Not included is what belongs to storing: idempotency keys, batches of several commands, restarts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from hashlib import sha256
from typing import Final, TypeVar

from msgspec import Struct

from engine.answers import Answer
from engine.bets.decisions import BetRandomness
from engine.bets.facts import BetPlaced, BetRecalled, BetSettled
from engine.catalogue import GAMES, rules_hash
from engine.command_handler import Command, DecisionContext, decide
from engine.engine_state import EngineState, Overlay
from engine.facts import RecordedFact, player_of, round_stream
from engine.fairness import signing, witness_decisions
from engine.fairness.canonical import canonical
from engine.fairness.draw import OPERATOR, chain
from engine.fairness.merkle import Tree, leaf_hash
from engine.fairness.receipts import SALT_BYTES, receipt_of, sign_head
from engine.fairness.records import day_record
from engine.fairness.verify import Check, OwnBet, PublishedRound, verify_round
from engine.fairness.witness_state import Declined, Signed, WitnessRecord, WitnessState
from engine.fairness.witness_state import apply_record as apply_witness_record
from engine.house.commands import FoundHouse, OpenDay
from engine.house.facts import DayOpened, Mode, ReceiptsSigned
from engine.house.game_day import GameDay, index_offset, next_segment, segment_name
from engine.house.game_day import record_of as day_record_of
from engine.ledger import postings
from engine.odds import SPECIFIED, TABLES, day_after, odds_on, table_hash
from engine.players.state import Player
from engine.rounds.commands import CloseRound, DrawRound, OpenRound, SettleRound
from engine.rounds.facts import RoundClosed, RoundDrawn
from engine.rounds.state import Phase, Round
from engine.rounds.state import record_of as frozen_record_of
from engine.schedule import (
    SECOND_US,
    Schedule,
    Slot,
    calendar_day,
    current,
    draw_day_bounds,
    regular,
    rounds_on,
)

#: 2026-11-21 10:00 in Singapore, when a regular day starts; microseconds since 1970.
DAY_START: Final = 1_795_226_400_000_000
REGULAR: Final = regular()
#: Six rounds of ten minutes a day, so that a simulated week takes little time.
SHORT_DAYS: Final = Schedule(
    rounds=6,
    round_us=600 * SECOND_US,
    close_us=30 * SECOND_US,
    stagger_us=0,
    opens_minute_of_day=600,
    day_us=3_600 * SECOND_US,
    timezone=REGULAR.timezone,
)
_SECRET_BYTES: Final = 32
_BET_ID_BYTES: Final = 10
_ALL_BETS: Final = 1 << 31
_HOUSE: Final = "house"
_NO_PROGRAM: Final = bytes(32)  # a program's hash would have to be read from its files
_Kept = TypeVar("_Kept", bound=WitnessRecord)


class Pause(Struct, frozen=True):
    """Time that passes between two commands, in microseconds; at least 0."""

    us: int


Step = Command | Pause


class RoundProof(Struct, frozen=True):
    """The arguments of `verify_round`: both raw public keys, the published values, all bets."""

    operator_key: bytes
    witness_key: bytes
    published: PublishedRound
    bets: tuple[OwnBet, ...]

    def failed(self) -> list[Check]:
        """The checks that an auditor's verification finds wrong; empty for an honest draw."""
        results = verify_round(self.operator_key, self.witness_key, self.published, self.bets)
        return [result.check for result in results if not result.passed]


class Sandbox:
    """Submits commands, and takes the steps of the house when they are due.

    `state` and `log` are for reading. The sandbox records what `submit` decided and nothing else.
    """

    def __init__(
        self,
        seed: int = 0,
        now: int = DAY_START,
        *,
        schedule: Schedule = REGULAR,
        odds_table: str = SPECIFIED.id,
        games: Sequence[int] = tuple(GAMES),
    ) -> None:
        """Open the house at `now`, in microseconds since 1970, with the due rounds of `games`.

        All keys, secrets and ids follow from `seed`.
        """
        self._seed, self._now, self._schedule = seed, now, schedule
        self._odds_table, self._games = odds_table, tuple(games)
        self._operator = signing.private_key(self._random("operator", _SECRET_BYTES))
        self._chains: dict[tuple[int, str], tuple[bytes, ...]] = {}
        self._witness = _Witness(self._random("witness", _SECRET_BYTES))
        self._log: list[RecordedFact] = []
        days = {game: GameDay(game) for game in GAMES}
        self.state = EngineState(schedule.timezone, players=_Players(), games=days)
        house = self._random("house", _BET_ID_BYTES).hex()
        self.submit(FoundHouse(house, Mode.DEMO), _HOUSE)
        self._take_due_steps()

    @property
    def now(self) -> int:
        """The time of the next decision, in microseconds since 1970."""
        return self._now

    @property
    def log(self) -> tuple[RecordedFact, ...]:
        """All facts, oldest first."""
        return tuple(self._log)

    @property
    def games(self) -> tuple[int, ...]:
        """The games whose rounds are opened."""
        return self._games

    def player(self, number: int) -> Player:
        """The state of a player; one without facts is not registered."""
        return self.state.players[number]

    def newest(self, game: int) -> Round:
        """The game's newest round, on sale or not; raises KeyError before the first one."""
        return self.state.rounds[self.state.newest[game]]

    def balances(self) -> dict[str, int]:
        """The balance of every account of the ledger, in minor units; they sum to zero."""
        totals: Counter[str] = Counter()
        for recorded in self._log:
            for posting in postings(recorded):
                totals[posting.account] += posting.amount_minor
        return dict(totals)

    def submit(self, command: Command, actor: str = "") -> Answer:
        """Decide one command now and record its facts; a refusal changes nothing.

        `actor` is recorded with the facts. Raises what a decision raises for a command that no
        caller of the engine sends, and changes nothing: KeyError for a step of a game that does not
        exist, ValueError for a secret that is not hex.
        """
        overlay = Overlay(self.state, self._now)
        answer = decide(command, overlay, self._context())
        if overlay.drafts:
            overlay.sign_receipts(partial(sign_head, self._operator))
            self._record(overlay, actor)
            overlay.merge()
        return answer

    def advance_to(self, until: int) -> None:
        """Move the clock to `until`, and take each step of the house at the time when it is due.

        The steps open days and rounds, close, draw and settle. Raises ValueError if `until` is in
        the past: the time of a log never decreases.
        """
        if until < self._now:
            raise ValueError(f"{until} is before {self._now}")
        while (due := self._next_due()) <= until:
            self._now = due
            self._take_due_steps()
        self._now = until

    def play(self, steps: Iterable[Step]) -> list[Answer]:
        """Submit the commands in order, waiting at each pause; returns the commands' answers."""
        answers: list[Answer] = []
        for step in steps:
            if isinstance(step, Pause):
                self.advance_to(self._now + step.us)
            else:
                answers.append(self.submit(step))
        return answers

    def drawing(self, game: int, issue: str) -> DrawRound:
        """The command that draws a closed round, with the true secrets of both parties.

        Raises KeyError for a round that is not among the unfinished and newest ones, ValueError for
        one that is not closed.
        """
        closed = self.state.rounds[game, issue].closed
        if closed is None:
            raise ValueError(f"round {issue} is not closed")
        frozen = canonical(frozen_record_of(closed))
        request = Signed(frozen, bytes.fromhex(closed.signature))
        link, signature = self._witness.release(request, self._now)
        operator_link = self._chains[game, closed.day][closed.index]
        return DrawRound(game, issue, operator_link.hex(), link.hex(), signature.hex())

    def proof(self, game: int, issue: str) -> RoundProof:
        """Everything that a check of a settled round needs, with all its bets.

        Raises KeyError for a round that was not drawn.
        """
        of_round = (each.fact for each in self._log if each.stream == round_stream(game, issue))
        facts = {type(fact): fact for fact in of_round}
        closed, drawn = facts[RoundClosed], facts[RoundDrawn]
        assert isinstance(closed, RoundClosed)
        assert isinstance(drawn, RoundDrawn)
        days = (each.fact for each in self._log if isinstance(each.fact, DayOpened))
        opened = next(day for day in days if (day.game, day.day) == (game, drawn.day))
        return RoundProof(
            signing.public_bytes(self._operator),
            self._witness.public,
            published_round(opened, closed, drawn),
            _own_bets(self._log, game, issue),
        )

    def _random(self, purpose: str, size: int) -> bytes:
        """At most 32 bytes that follow from the seed.

        They are named, not drawn in turn, so that a refused command uses none up.
        """
        return sha256(b"%d/%s" % (self._seed, purpose.encode())).digest()[:size]

    def _context(self) -> DecisionContext:
        number = len(self._log)
        bet = self._random(f"bet/{number}", _BET_ID_BYTES).hex()
        salt = self._random(f"salt/{number}", SALT_BYTES).hex()
        return DecisionContext(BetRandomness(bet, salt), partial(signing.sign, self._operator))

    def _record(self, overlay: Overlay, actor: str) -> None:
        for draft in overlay.drafts:
            by = _HOUSE if isinstance(draft.fact, ReceiptsSigned) else actor
            place = (len(self._log) + 1, draft.stream, draft.version, self._now)
            self._log.append(RecordedFact(*place, "", by, draft.fact))

    def _next_due(self) -> int:
        """When the next step may be due, after now."""
        times: list[int] = []
        for game in self._games:
            slot = current(self._schedule, game, self._now)
            times += [slot.closes_at, slot.draws_at] if slot is not None else []
        today = calendar_day(self._schedule.timezone, self._now)
        days = (today, day_after(today))
        times += [draw_day_bounds(self._schedule, day)[0] for day in days]
        return min(time for time in times if time > self._now)

    def _take_due_steps(self) -> None:
        for game in self._games:
            for round_ in self.state.unfinished_rounds(game):
                self._finish(game, round_.issue)
            slot = current(self._schedule, game, self._now)
            if slot is not None and self._now < slot.closes_at:
                self._open(slot)

    def _finish(self, game: int, issue: str) -> None:
        if self._now >= self.state.rounds[game, issue].closes_at:
            self.submit(CloseRound(game, issue), _HOUSE)
        if self.state.rounds[game, issue].is_undrawn_at(self._now):
            self.submit(self.drawing(game, issue), _HOUSE)
        if self.state.rounds[game, issue].phase == Phase.DRAWN:
            self.submit(SettleRound(game, issue, _ALL_BETS), _HOUSE)

    def _open(self, slot: Slot) -> None:
        """Open the slot's round, and its day or segment before the first one."""
        unfinished = self.state.unfinished_rounds(slot.game)
        if any(each.phase == Phase.OPEN for each in unfinished):
            return
        day = self.state.games[slot.game]
        if day.opened is None or day.opened.date != slot.date or day.left_cause:
            self.submit(self._day_opening(day, slot), _HOUSE)
        opened = self.state.games[slot.game].opened
        assert opened is not None
        index = slot.index + opened.shift
        times = (slot.opens_at, slot.closes_at, slot.draws_at)
        self.submit(OpenRound(slot.game, index, *times), _HOUSE)

    def _day_opening(self, day: GameDay, slot: Slot) -> OpenDay:
        """The command that opens the slot's day or next segment, signed by both parties."""
        name = segment_name(slot.date, next_segment(day, slot))
        shift = index_offset(day, slot.date, slot.index)
        rounds = shift + rounds_on(self._schedule, slot.date)
        table = odds_on(self.state.house.odds, slot.date) or self._odds_table
        tail = self._random(f"operator/{slot.game}/{name}", _SECRET_BYTES)
        links = chain(OPERATOR, str(slot.game), name, tail, rounds)
        self._chains[slot.game, name] = links
        witness_tail = self._random(f"witness/{slot.game}/{name}", _SECRET_BYTES)
        record = day_record(
            game=str(slot.game),
            day=name,
            first=slot.index + shift,
            schedule=self._schedule,
            shift=shift,
            rules=rules_hash(),
            odds_table=table_hash(TABLES[table]),
            program=_NO_PROGRAM,
            c_0=links[0],
            w_0=self._witness.commit(str(slot.game), name, rounds, witness_tail),
            operator_key=signing.public_bytes(self._operator),
            witness_key=self._witness.public,
        )
        content = canonical(record)
        signature = signing.sign(self._operator, signing.DAY, content)
        public = signing.public_bytes(self._operator)
        signed = self._witness.sign_day(Signed(content, signature), self._now, public)
        return OpenDay(slot.game, record, table, signature.hex(), signed.hex())


def published_round(opened: DayOpened, closed: RoundClosed, drawn: RoundDrawn) -> PublishedRound:
    """The public data of a drawn round, from its facts and its day's."""
    return PublishedRound(
        day_opened=canonical(day_record_of(opened)),
        day_signature_operator=bytes.fromhex(opened.operator_signature),
        day_signature_witness=bytes.fromhex(opened.witness_signature),
        frozen=canonical(frozen_record_of(closed)),
        frozen_signature_operator=bytes.fromhex(drawn.operator_signature),
        release_signature_witness=bytes.fromhex(drawn.witness_signature),
        operator_link=bytes.fromhex(drawn.operator_secret),
        witness_link=bytes.fromhex(drawn.witness_secret),
        digits=drawn.digits,
        beacon=drawn.beacon,
    )


def _own_bets(log: Iterable[RecordedFact], game: int, issue: str) -> tuple[OwnBet, ...]:
    """The bets of a round's frozen set with their payouts, in the order of the log."""
    entries: dict[str, tuple[int, bytes]] = {}
    paid: dict[str, int] = {}
    for recorded in log:
        fact = recorded.fact
        if not isinstance(fact, BetPlaced | BetRecalled | BetSettled):
            continue
        if (fact.game, fact.issue) != (game, issue):
            continue
        if isinstance(fact, BetPlaced):
            player = player_of(recorded.stream)
            entries[fact.bet] = (player, receipt_of(player, fact, recorded.at))
        elif isinstance(fact, BetRecalled):
            del entries[fact.bet]
        else:
            paid[fact.bet] = fact.payout_minor
    tree = Tree([leaf_hash(entry) for _, entry in entries.values()])
    return tuple(
        OwnBet(entry, player, index, tuple(tree.path(index)), paid.get(bet, 0))
        for index, (bet, (player, entry)) in enumerate(entries.items())
    )


class _Players(dict[int, Player]):
    """All players: one without facts is a new one, so that none has to be loaded."""

    def __missing__(self, number: int) -> Player:
        return Player(number)


class _Witness:
    """A witness in memory, which decides by `engine.fairness` and forgets nothing."""

    def __init__(self, secret: bytes) -> None:
        self._key = signing.private_key(secret)
        self._state = WitnessState()
        self.public = signing.public_bytes(self._key)

    def commit(self, game: str, day: str, rounds: int, tail: bytes) -> bytes:
        """The anchor of a new chain that ends with this tail."""
        self._keep(witness_decisions.record_tail(self._state, game, day, rounds, tail))
        return witness_decisions.w_0(self._state, game, day)

    def sign_day(self, request: Signed, now: int, operator_key: bytes) -> bytes:
        """The signature on a day's record."""
        signed = witness_decisions.open_day(self._state, request, now, self._key, operator_key)
        return self._keep(signed).signature

    def release(self, request: Signed, now: int) -> tuple[bytes, bytes]:
        """A round's link, and the signature on its frozen set."""
        released = witness_decisions.release(self._state, request, now, self._key)
        assert not isinstance(released, Declined), released.reason
        return released.link, self._keep(released.record).signature

    def _keep(self, record: _Kept | Declined) -> _Kept:
        """Apply a record; the sandbox asks for nothing that a witness declines."""
        assert not isinstance(record, Declined), record.reason
        self._state = apply_witness_record(self._state, record)
        return record
