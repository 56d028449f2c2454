"""A hypothesis state machine: players, clerks, time, the scheduler, crashes, repeated commands."""

import sys

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engine.cashier.commands import ApproveDeposit
from engine.fairness.canonical import canonical
from engine.fairness.witness_state import Signed
from engine.players.commands import PlayerCommand, RegisterPlayer
from engine.refusals import Refusal
from engine.rounds.commands import CloseRound, DrawRound, SettleRound, VoidRound
from engine.rounds.state import record_of
from engine.runtime.witness.witness import WitnessDeclined
from tests.engine import model_rules as rules
from tests.engine import wishes
from tests.engine.driven_house import DrivenEngine, SentCommand, plain
from tests.engine.model import Round
from tests.engine.model_log import apply
from tests.engine.wishes import BetWish, RecallWish, Wish, command
from tests.instruments.simulator.fakes import StoreFault

_LOST = (StoreFault.LOST_BEFORE_COMMIT, StoreFault.LOST_AFTER_COMMIT)
_DEATHS = (StoreFault.LEADER_DIES_BEFORE_COMMIT, StoreFault.LEADER_DIES_AFTER_COMMIT)
_REPLAY_EVERY = 4


class HouseMachine(RuleBasedStateMachine):
    house: DrivenEngine

    @initialize(
        seed=st.integers(0, 2**32 - 1), deciding_ahead=st.booleans(), forgetful=st.booleans()
    )
    def opens(self, seed: int, *, deciding_ahead: bool, forgetful: bool) -> None:
        """A day begins, with rich and poor players and a guest."""
        self.past: list[SentCommand] = []
        self.released: set[tuple[int, str]] = set()
        self.cancelled: set[tuple[int, str]] = set()
        self.steps = 0
        self.house = DrivenEngine(seed, pipelined=deciding_ahead, small_caches=forgetful)
        self.ticks()
        self._send(
            RegisterPlayer(1, 1, None, "rich", gift_minor=20_000_000),
            RegisterPlayer(2, 1, 1, "poor", gift_minor=30_000),
            RegisterPlayer(4, 1, None, "other", gift_minor=100_000),
            RegisterPlayer(3, 2, None, "guest"),
        )

    def _send(self, *commands: PlayerCommand, keyed: bool = True) -> None:
        sent = [self.house.sent_command(each, keyed=keyed) for each in commands]
        self.past += sent
        self.house.play(*sent)

    # Players and clerks.

    @rule(wish=wishes.wishes, keyed=st.sampled_from((True, True, True, False)))
    def any_command_is_sent(self, wish: Wish, *, keyed: bool) -> None:
        self._send(command(wish, self.house.model), keyed=keyed)

    @rule(many=st.lists(wishes.good_bets, min_size=1, max_size=3), more=wishes.bets)
    def bets(self, many: list[BetWish], more: BetWish) -> None:
        for wish in (*many, more):
            self._send(command(wish, self.house.model))

    @rule(wish=wishes.good_bets, until=st.sampled_from(("before", "close")), recalled=st.booleans())
    def a_bet_comes_at_the_close(self, wish: BetWish, until: str, *, recalled: bool) -> None:
        """Bets and recalls are accepted a microsecond before the close, and not at the close."""
        self._send(command(wish, self.house.model))
        self.time_passes(game=wish.game, until=until)
        late = RecallWish(wish.player, wish.game, "current", -1) if recalled else wish
        self._send(command(late, self.house.model))

    @rule(bet=wishes.good_bets, everything=st.booleans(), twice=st.booleans())
    def a_bet_is_recalled(self, bet: BetWish, *, everything: bool, twice: bool) -> None:
        self._send(command(bet, self.house.model))
        number = None if everything else -1
        recall = RecallWish(bet.player, bet.game, "current", number)
        for _ in range(2 if twice else 1):
            self._send(command(recall, self.house.model))

    @rule(many=st.lists(wishes.wishes, min_size=2, max_size=6), twice=st.booleans())
    def many_commands_are_sent_together(self, many: list[Wish], *, twice: bool) -> None:
        """Possibly with the first command repeated, and another under its key."""
        sent = [self.house.sent_command(command(wish, self.house.model)) for wish in many]
        self.past += sent
        if twice:
            sent += [sent[0], sent[-1]._replace(actor=sent[0].actor, key=sent[0].key)]
        self.house.play(*sent)

    @rule(many=st.lists(wishes.good_bets, min_size=1, max_size=3), game=wishes.games)
    def bets_race_the_close(self, many: list[BetWish], game: int) -> None:
        sent = [self.house.sent_command(command(wish, self.house.model)) for wish in many]
        self.past += sent
        newest = self.house.model.newest.get(game)
        step = CloseRound(game, newest.issue) if newest is not None else None
        self.house.play(*sent, step=step)

    @rule(back=st.integers(0, 15), change=st.sampled_from(("", "", "stake_minor", "player", "bet")))
    def repeats(self, back: int, change: str) -> None:
        """An earlier command is sent again under its key, unchanged or with other content."""
        sent = self.past[-1 - back % len(self.past)]
        value = getattr(sent.command, change, None) if change else None
        if value is not None:
            changed = value + 100 if isinstance(value, int) else f"{value}0"
            other = msgspec.structs.replace(sent.command, **{change: changed})
            sent = sent._replace(command=other)
        self.house.play(sent)

    @rule(wish=wishes.good_bets.map(lambda wish: wish._replace(player=2)))
    def a_refused_bet_is_repeated_once_it_would_be_taken(self, wish: BetWish) -> None:
        """It is refused for lack of funds; after a deposit the repeat is refused as before."""
        available = self.house.model.members[wish.player].available
        short = wish._replace(stake=available - available % 100 + 100)
        sent = self.house.sent_command(command(short, self.house.model))
        self.past.append(sent)
        self.house.play(sent)
        self._send(ApproveDeposit(wish.player, f"more-{self.steps}", "bank", 10_000, "", "clerk"))
        self.house.play(sent)

    # Time and the house's own steps.

    @rule(
        game=st.sampled_from(rules.GAMES),
        until=st.sampled_from(
            ("moment", "before", "close", "close", "draw", "draw", "later", "day", "back")
        ),
    )
    def time_passes(self, game: int, until: str) -> None:
        clock, model = self.house.clock, self.house.model
        newest = model.newest.get(game)
        closes_at = newest.closes_at if newest is not None else clock.now
        draws_at = newest.draws_at if newest is not None else clock.now
        tomorrow = clock.now - (clock.now - rules.FIRST_START) % rules.DAY_US + rules.DAY_US
        moments = {
            "moment": clock.now + 700_001,
            "before": max(clock.now, closes_at - 1),
            "close": max(clock.now, closes_at),
            "draw": max(clock.now, draws_at),
            "later": clock.now + 150 * rules.SECOND,
            "day": tomorrow + (game - 1) * 45 * rules.SECOND,
            "back": clock.now - 300_000,
        }
        clock.now = moments[until]

    @rule(
        many=st.lists(wishes.good_bets, min_size=1, max_size=4),
        slices=st.none() | st.integers(1, 3),
    )
    def a_round_is_played(self, many: list[BetWish], slices: int | None) -> None:
        """The scheduler completes it, or only some slices of its settlement are done."""
        self._send(*(command(wish, self.house.model) for wish in many))
        game = many[0].game
        self.time_passes(game=game, until="draw")
        if slices is None:
            self.ticks()
        for _ in range(3 if slices else 0):
            self.one_step_is_taken(game=game, limit=slices)

    @rule()
    def ticks(self) -> None:
        """The scheduler takes all steps that are due, and leaves no round unfinished."""
        house = self.house
        house.run(house.scheduler.tick())
        for record in house.new_records():
            assert (record.at, record.actor, record.key) == (house.now, "house", "")
            apply(house.model, record)
            house.latest = record.at
        for game in rules.GAMES:
            if not self._is_stuck(game):
                self._check_nothing_unfinished(game)

    def _is_stuck(self, game: int) -> bool:
        """A void that the test has begun must be finished by the test."""
        unfinished = {(game, each.issue) for each in self.house.model.unfinished(game)}
        return bool(unfinished & self.cancelled)

    def _check_nothing_unfinished(self, game: int) -> None:
        now, model = self.house.clock.now, self.house.model
        for round_ in model.unfinished(game):
            assert now < round_.draws_at, "a round is not drawn"
            assert round_.phase == "closed" or now < round_.closes_at, "a round is not closed"
        place = rules.slot_at(game, now)
        # After the clock was set back, the log's time may already be past the current round.
        if place is not None and self.house.now < place.closes_at:
            assert model.newest[game].issue == place.issue, "the current round is not on sale"

    @rule(game=wishes.games, limit=st.integers(1, 3))
    def one_step_is_taken(self, game: int, limit: int) -> None:
        """Try a close, a draw or a slice of a settlement, even if it is not due."""
        round_ = self._oldest(game)
        if round_ is None:
            return
        if round_.phase == "open":
            self.house.play(step=CloseRound(game, round_.issue))
        elif round_.phase == "closed" and (game, round_.issue) not in self.cancelled:
            self.house.play(step=self._draw(round_))
        else:
            self.house.play(step=SettleRound(game, round_.issue, limit))

    def _oldest(self, game: int) -> Round | None:
        unfinished = self.house.model.unfinished(game)
        return unfinished[0] if unfinished else self.house.model.newest.get(game)

    def _draw(self, round_: Round) -> DrawRound:
        """A draw with true secrets if it is due, else with invented ones."""
        if self.house.clock.now < round_.draws_at:
            return DrawRound(round_.game, round_.issue, "00" * 32, "00" * 32, "00" * 64)
        closed = self.house.writer.state.rounds[round_.game, round_.issue].closed
        assert closed is not None
        request = Signed(canonical(record_of(closed)), bytes.fromhex(closed.signature))
        witness_link, signature = self.house.witness.release(request)
        self.released.add((round_.game, round_.issue))
        operator_link = self.house.chains.links(round_.game, round_.day)[round_.index]
        return DrawRound(
            round_.game, round_.issue, operator_link.hex(), witness_link.hex(), signature.hex()
        )

    @rule(game=wishes.games, lie=st.sampled_from(("operator", "witness", "signature")))
    def no_draw_uses_a_false_value(self, game: int, lie: str) -> None:
        round_ = self._oldest(game)
        if round_ is None or round_.phase != "closed" or (game, round_.issue) in self.cancelled:
            return
        if self.house.clock.now < round_.draws_at:
            return
        name = f"{lie}_secret" if lie != "signature" else "witness_signature"
        true = self._draw(round_)
        value: str = getattr(true, name)
        false = f"{value[:-1]}{int(value[-1], 16) ^ 1:x}"
        self._is_refused(msgspec.structs.replace(true, **{name: false}))

    def _is_refused(self, step: DrawRound | VoidRound) -> None:
        """Check that a step with a false value is refused, and the log unchanged."""
        (reply,) = self.house.submit([], [SentCommand("house", None, step)])
        assert plain(reply.answer)["refusal"] == Refusal.SECRET_WRONG
        assert not self.house.new_records(), "a refusal changed the log"

    @rule(game=wishes.games, limit=st.integers(1, 3), closing=st.booleans())
    def a_round_is_voided(self, game: int, limit: int, *, closing: bool) -> None:
        """Voids need the witness's cancellation, and are done slice by slice."""
        round_ = self._oldest(game)
        if closing and round_ is not None and round_.phase == "open":
            self.time_passes(game=game, until="close")
            self.house.play(step=CloseRound(game, round_.issue))
        round_ = self._oldest(game)
        if round_ is None:
            return
        void = VoidRound(game, round_.issue, "incident", "00" * 64, "00" * 32, "00" * 32, limit)
        if round_.phase == "closed":
            self._is_refused(void)
            scheduler = self.house.scheduler
            witness = scheduler._context.witness
            cancellation = scheduler._cancelled(witness, round_.day, game, round_.index)
            try:
                witness_link, signature = self.house.run(cancellation)
            except WitnessDeclined:
                assert (game, round_.issue) in self.released
                return
            assert (game, round_.issue) not in self.released
            self.cancelled.add((game, round_.issue))
            operator_link = self.house.chains.links(game, round_.day)[round_.index]
            void = msgspec.structs.replace(
                void,
                witness_signature=signature.hex(),
                operator_secret=operator_link.hex(),
                witness_secret=witness_link.hex(),
            )
        self.house.play(step=void)

    # Crashes.

    @rule()
    def restarts(self) -> None:
        self.house.stop()
        self.house.check_replay()
        self.house.start()

    @rule(mishap=st.sampled_from(_LOST), many=st.lists(wishes.wishes, min_size=1, max_size=3))
    def an_acknowledgement_is_lost(self, mishap: StoreFault, many: list[Wish]) -> None:
        self.house.log.fault = mishap
        self._send(*(command(wish, self.house.model) for wish in many))
        self.house.log.fault = None

    @rule(mishap=st.sampled_from(_DEATHS), wish=wishes.wishes, repeated=st.booleans())
    def the_leader_dies(self, mishap: StoreFault, wish: Wish, *, repeated: bool) -> None:
        """The caller gets an unknown outcome; the next leader knows only what was stored."""
        house = self.house
        sent = self.past[-1] if repeated else house.sent_command(command(wish, house.model))
        self.past.append(sent)
        house.log.fault = mishap
        (reply,) = house.submit([sent])
        house.log.fault = None
        if plain(reply.answer).get("refusal") != Refusal.OUTCOME_UNKNOWN:
            house.check([sent], [reply])
            return
        records = house.new_records()
        if mishap is StoreFault.LEADER_DIES_AFTER_COMMIT:
            house.expect(sent, records)
            house.apply_signatures(records)
        assert not records, f"unexpected fact {records[0]}"
        house.stop()
        house.start()
        house.play(sent)

    # Invariants.

    @invariant()
    def the_engine_agrees_with_the_model(self) -> None:
        self.house.check_state()

    @invariant()
    def the_log_replays_to_the_running_state(self) -> None:
        self.steps += 1
        if self.steps % _REPLAY_EVERY == 0:
            self.house.check_replay()

    def teardown(self) -> None:
        if not hasattr(self, "house"):
            return
        try:
            # A failure in these checks must not hide an earlier failure.
            if sys.exc_info()[0] is None:
                self.house.check_replay()
                self.house.check_stored_answers()
        finally:
            self.house.close()
