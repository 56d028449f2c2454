"""A log of whole days with real draws, for the audits to read: played in memory, then stored.

Decisions, signatures, chains and digits are those of a sandbox, which draws a day of 1,096 rounds
in seconds. Every bet is a batch of its own with a signed receipt, as on a house whose players do
not bet at the same instant: no other log has more signatures a round. The log is sealed as in
production, with a checkpoint an hour.
"""

from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from typing import Final

import psycopg

from engine.answers import Refused
from engine.catalogue import GAMES
from engine.facts import TOPICS, RecordedFact, encode
from engine.players.commands import MEMBER, RegisterPlayer
from engine.runtime.log import schema
from engine.runtime.log.fact_log import datastore
from engine.runtime.log.sealer import Sealer
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.secret_keys import KEY_BYTES, OperatorKey
from engine.sandbox import REGULAR, Sandbox
from engine.schedule import calendar_day, draw_day_bounds
from tests.instruments.load_tests.bet_mix import FUNDS_MINOR, bet_of
from tests.instruments.load_tests.workers import NoFigureError

_PLAYERS: Final = range(10_001, 10_051)
#: Rounds of all games on a day.
GAMES_ROUNDS: Final = len(GAMES) * REGULAR.rounds
_ROUNDS_AN_HOUR: Final = 17
_COPY: Final = (
    "COPY log.facts (notification_id, originator_id, originator_version, at, command_id, actor,"
    " topic, state) FROM STDIN"
)


class DrawnLog:
    """A log that grows by whole days; `rounds` and `facts` count what it has so far."""

    def __init__(self, conninfos: Conninfos, bets_a_round: int) -> None:
        """Create the log in an empty database."""
        schema.create(conninfos.owner)
        self._conninfos = conninfos
        self._bets_a_round = bets_a_round
        self._sandbox = Sandbox(schedule=REGULAR)
        self._key = OperatorKey(self._sandbox._random("operator", KEY_BYTES))
        self._bets = self.rounds = self.facts = 0
        for player in _PLAYERS:
            joins = RegisterPlayer(player, MEMBER, None, "", gift_minor=FUNDS_MINOR)
            self._sandbox.submit(joins, f"player-{player}")

    def play_days(self, days: int) -> None:
        """Play and store whole days; the log then ends when the next day has just opened."""
        with (
            psycopg.connect(self._conninfos.owner, autocommit=True) as connection,
            closing(datastore(self._conninfos.app)) as store,
        ):
            sealer = Sealer(store, self._key, lambda: self._sandbox.now)
            for _ in range(days):
                for first in range(0, REGULAR.rounds, _ROUNDS_AN_HOUR):
                    self._play_rounds(min(_ROUNDS_AN_HOUR, REGULAR.rounds - first))
                    self._store(connection)
                    sealer.catch_up()
                self._pass_night()
                self._store(connection)
                sealer.catch_up()
            # As autovacuum leaves a log; otherwise the first reader would pay for it.
            connection.execute("VACUUM (ANALYZE) log.facts")

    def _play_rounds(self, rounds: int) -> None:
        """Bet on the round on sale of every game, and go to the next draw, as often as `rounds`."""
        sandbox = self._sandbox
        for _ in range(rounds):
            for game in sandbox.games:
                issue = sandbox.newest(game).issue
                for _ in range(self._bets_a_round):
                    player = _PLAYERS[self._bets % len(_PLAYERS)]
                    bet = bet_of(player, game, issue, self._bets)
                    answer = sandbox.submit(bet, f"player-{player}")
                    if isinstance(answer, Refused):
                        raise NoFigureError(f"a bet was refused: {answer}")
                    self._bets += 1
                self.rounds += 1
            sandbox.advance_to(sandbox.now + REGULAR.round_us)

    def _pass_night(self) -> None:
        """Go to the next draw day, which begins on the calendar day of the last draws."""
        day = calendar_day(REGULAR.timezone, self._sandbox.now)
        self._sandbox.advance_to(draw_day_bounds(REGULAR, day)[0])

    def _store(self, connection: psycopg.Connection) -> None:
        """Store the facts since the last call. COPY, because appending each batch takes minutes."""
        new: Sequence[RecordedFact] = [*islice(self._sandbox._log, self.facts, None)]
        with connection.cursor() as cursor, cursor.copy(_COPY.encode()) as copy:
            for it in new:
                place = (it.position, it.stream, it.version, it.at)
                command = f"command-{it.position}"
                copy.write_row((*place, command, it.actor, TOPICS[type(it.fact)], encode(it.fact)))
        self.facts += len(new)
