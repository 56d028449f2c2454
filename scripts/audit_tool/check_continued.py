"""What `scripts/audit check --continue` keeps in its file, and what it compares of the read models.

A clean check keeps where it ended: the position and time of the last fact, the balances of all
accounts, the edge of the sealed tree, and the first day to which facts may still be added. The next
check reads only the facts after it. It does not rebuild the read models: it compares the balances
of the players who had new facts, and those of the house, with their served rows.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import psycopg
from msgspec import Struct

from engine.facts import player_of
from engine.house.facts import OddsProposed, OddsSet, ProposalRejected
from projections.accounts import AccountProjection
from projections.runner.projection import Projection
from projections.runner.tables import Failure, key
from scripts.audit_tool import AuditError, FindingError, facts
from scripts.audit_tool.accounts import PARTS
from scripts.audit_tool.books import BOTS, MEMBERS, Books, BooksState
from scripts.audit_tool.check_facts import BeforeCheck, LogCheck
from scripts.audit_tool.check_models import (
    DIFFERENT_VALUE,
    FAILED,
    MISSING_ROW,
    STALE,
    RowDifference,
)
from scripts.audit_tool.database import Connection
from scripts.audit_tool.log import Edge

_POLL_S: Final = 0.1
# The version of the last fact before a position, of each stream that has facts after it.
_VERSIONS: Final = (
    "SELECT stream, coalesce((SELECT originator_version FROM log.facts"
    " WHERE originator_id = stream AND notification_id <= %(after)s"
    " ORDER BY originator_version DESC LIMIT 1), 0) FROM ("
    "SELECT DISTINCT originator_id AS stream FROM log.facts"
    " WHERE notification_id > %(after)s AND notification_id <= %(until)s) AS streams"
)
_ODDS: Final = tuple(kind.topic for kind in (OddsProposed, OddsSet, ProposalRejected))
_LAST: Final = "SELECT coalesce(max(notification_id), 0) FROM log.facts"
_POSITIONS: Final = "SELECT application_name, notification_id FROM views.positions"
_HAS_MODELS: Final = "SELECT to_regclass('views.failures') IS NOT NULL"
_FAILURES: Final = "SELECT model, position, stream, topic, error FROM views.failures"
_ACCOUNTS: Final = (
    f"SELECT player, version, {', '.join(PARTS)} FROM views.accounts WHERE player = ANY(%s)"
)
_HOUSE: Final = "SELECT account, bots, balance FROM views.house_accounts"


class EarlierCheck(Struct, frozen=True):
    """Where a clean check ended; `at` in microseconds since 1970.

    `first_day` (yyyy-mm-dd) is the first draw day to which facts may still be added, "" before any.
    """

    position: int
    at: int
    books: BooksState
    first_day: str
    edge: Edge | None

    def before(self, connection: Connection, until: int) -> BeforeCheck:
        """Returns what the rules of the log need to continue, up to the log's end at `until`.

        Raises FindingError if the log ends before the earlier check.
        """
        if until < self.position:
            raise FindingError(
                f"the log ends at position {until:,}, and an earlier check read it up to"
                f" {self.position:,}"
            )
        between = {"after": self.position, "until": until}
        versions: dict[str, int] = dict(connection.execute(_VERSIONS, between).fetchall())
        odds = facts.of_topics(connection, _ODDS, self.position)
        return BeforeCheck(
            Books(self.books), self.at, versions, tuple(each.recorded() for each in odds)
        )


_decode: Final = msgspec.json.Decoder(EarlierCheck).decode


def read(file: Path | None) -> EarlierCheck | None:
    """Returns where the check that wrote this file ended; None before the first one.

    Raises AuditError if the file is another one.
    """
    if file is None or not file.exists():
        return None
    found = None
    with suppress(OSError, msgspec.MsgspecError):
        found = _decode(file.read_bytes())
    if found is None or (found.edge is not None and not found.edge.is_whole):
        raise AuditError(f"{file} is not the file of an earlier check")
    return found


def write(file: Path, ended: EarlierCheck) -> None:
    """Replace the file as a whole."""
    fresh = file.with_name(file.name + ".new")
    fresh.write_bytes(msgspec.json.encode(ended))
    fresh.replace(file)


def wait_for_models(conninfo: str, models: Sequence[Projection], timeout_s: float) -> None:
    """Wait until the read models have applied all facts that are stored now, or the time is up."""
    until = time.monotonic() + timeout_s
    with psycopg.connect(conninfo, autocommit=True) as connection:
        (end,) = connection.execute(_LAST).fetchone() or (0,)
        while time.monotonic() < until and not _have_reached(connection, models, end):
            time.sleep(_POLL_S)


def _have_reached(connection: Connection, models: Sequence[Projection], end: int) -> bool:
    served = _positions(connection)
    return all(served.get(key(model), 0) >= end for model in models)


def _positions(connection: Connection) -> dict[str, int]:
    (exist,) = connection.execute(_HAS_MODELS).fetchone() or (False,)
    return dict(connection.execute(_POSITIONS).fetchall()) if exist else {}


def outdated_models(
    connection: Connection, models: Sequence[Projection], until: int
) -> Iterator[RowDifference]:
    """Yields the models that have stopped, or have not applied the log up to position `until`."""
    served = _positions(connection)
    failures = {
        model: Failure(*failure)
        for model, *failure in (connection.execute(_FAILURES).fetchall() if served else ())
    }
    for model in models:
        position, failure = served.get(key(model)), failures.get(key(model))
        if failure is not None:
            at = f"{failure.position} ({failure.stream}, {failure.topic})"
            yield RowDifference(
                FAILED, model.name, f"it cannot apply fact {at}: {failure.error}", 1
            )
        elif position is None:
            yield RowDifference(STALE, model.name, f"this program's {key(model)} is not served", 1)
        elif position < until:
            what = f"its position is {position}, the log was at {until}"
            yield RowDifference(STALE, model.name, what, 1)


class BalanceCheck:
    """Compares balances that were folded from the facts with the rows that are served.

    They are those of the players with facts after the earlier check, and the house's. `position` is
    that of the served rows; `rows` counts them, and `differences` are what was found.
    """

    def __init__(self, connection: Connection, timezone: str) -> None:
        """Read the rows through a snapshot, which does not change."""
        self._connection = connection
        self.position = _positions(connection).get(key(AccountProjection(timezone)), 0)
        self.rows = 0
        self.differences: list[RowDifference] = []

    def take(self, log: LogCheck) -> None:
        """Compare if the log was read just up to the served position."""
        if log.books.position != self.position:
            return
        players = {
            player_of(stream): (version, log.books.balances(stream))
            for stream, version in log.versions.items()
            if version and stream.startswith("player-")
        }
        self.rows = len(players)
        rows = self._connection.execute(_ACCOUNTS, (list(players),)).fetchall()
        served = {player: values for player, *values in rows}
        for player, (version, balances) in sorted(players.items()):
            expected = [version, *(balances.get(part, 0) for part in PARTS)]
            self._compare(f"player={player}", expected, served.get(player))
        self._compare_house(log.books)

    def _compare(self, which: str, expected: list[int], found: list[int] | None) -> None:
        if found is None:
            self._differ(MISSING_ROW, "views.accounts", which)
        elif found != expected:
            names = ("version", *PARTS)
            values = zip(names, expected, found, strict=True)
            what = "; ".join(f"{it} expected {a}, found {b}" for it, a, b in values if a != b)
            self._differ(DIFFERENT_VALUE, "views.accounts", f"{which}: {what}")

    def _compare_house(self, books: Books) -> None:
        expected = {
            (it.account, it.book): it.amount_minor
            for it in books.lines()
            if not it.account.startswith("players:")
        }
        found = {
            (account, BOTS if bots else MEMBERS): balance
            for account, bots, balance in self._connection.execute(_HOUSE)
        }
        self.rows += len(found)
        for place in sorted(expected.keys() | found.keys()):
            one, other = expected.get(place, 0), found.get(place, 0)
            if one != other:
                which = f"account={place[0]} of {place[1]}: balance expected {one}, found {other}"
                self._differ(DIFFERENT_VALUE, "views.house_accounts", which)

    def _differ(self, kind: str, table: str, what: str) -> None:
        self.differences.append(RowDifference(kind, table, what, 1))
