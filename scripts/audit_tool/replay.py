"""`scripts/audit replay`: replays an account's history from the facts alone."""

import argparse
import csv
import sys
from collections.abc import Iterator
from datetime import tzinfo
from typing import Any, Protocol

import msgspec

from engine.facts import TOPICS, RecordedFact, player_stream
from projections import csv_cells
from scripts.audit_tool import CLEAN, FINDING, AuditError, as_of, facts
from scripts.audit_tool.accounts import PARTS, HistoryEntry, change, entries, units
from scripts.audit_tool.as_of import Moment, local
from scripts.audit_tool.database import Connection, open_snapshot, print_status

NAME = "replay"
HELP = "an account's history from the facts alone, with running balances"
DESCRIPTION = f"""\
Print a player's history from the facts alone: one line per entry with its time, position, stream
version, topic, actor, the change and the balance of each part of the account, and the fact's
fields. Text output is in u with two decimals; --csv and --json (one object per line) are in whole
minor units.

{csv_cells.HELP}"""
EXAMPLES = """\
  scripts/audit replay alice
  scripts/audit replay 10001 --at 2026-11-21T18:30:00
  scripts/audit replay 10001 --at 52817 --csv > history.csv
"""
_BY_NAME = "SELECT player FROM vault.members WHERE lower(username) = lower(%s)"
_BY_PLAYER = "SELECT username FROM vault.members WHERE player = %s"
_READS_VAULT = "SELECT has_schema_privilege('vault', 'USAGE')"
_MAX_ID_DIGITS = 18  # digits that always fit PostgreSQL's bigint


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the player, the moment and the format."""
    parser.add_argument("player", metavar="PLAYER", help="user name or player id")
    as_of.add_argument(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--csv", dest="telling", action="store_const", const=_Csv, help="as CSV")
    how.add_argument("--json", dest="telling", action="store_const", const=_Json, help="as JSON")
    parser.set_defaults(telling=_Text)


def run(options: argparse.Namespace) -> int:
    """Print the history; a balance below zero is a finding."""
    with open_snapshot(options.data, vault=True) as connection:
        player = find_player(connection, options.player)
        moment = as_of.resolve(connection, options.at, options.timezone)
        name = name_of(connection, player)
        who = f"player {player}" + (f" ({name})" if name else "")
        printer: _EntryWriter = options.telling(options.timezone)
        printer.begin(who, moment)
        count, balances, below = 0, (0,) * len(PARTS), 0
        for entry in entries(player, _history(connection, player, moment)):
            printer.write_entry(entry)
            count, balances = entry.recorded.version, entry.balances
            below = below or (entry.recorded.position if min(balances) < 0 else 0)
        printer.end(who, moment, count, balances)
    if below:
        print_status(f"FINDING: {who} goes below zero at position {below}")
    return FINDING if below else CLEAN


def _history(connection: Connection, player: int, moment: Moment) -> Iterator[RecordedFact]:
    stream = player_stream(player)
    if next(facts.of_stream(connection, stream, moment.last), None) is None:
        raise AuditError(f"the log has no facts of player {player}")
    return (each.recorded() for each in facts.of_stream(connection, stream, moment.position))


class _EntryWriter(Protocol):
    def begin(self, who: str, moment: Moment) -> None: ...
    def write_entry(self, entry: HistoryEntry) -> None: ...
    def end(self, who: str, moment: Moment, count: int, final: tuple[int, ...]) -> None: ...


class _Text:
    """Text: one line per entry, in aligned columns."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def begin(self, who: str, moment: Moment) -> None:
        print(f"{who}, {moment.describe(self._zone)}; amounts in u")
        parts = "".join(f"{part:>14}" for part in PARTS)
        after = "".join(f"{'= ' + part:>16}" for part in PARTS)
        print(
            f"{'time':<32} {'position':>10} {'version':>7} {'topic':<22}{parts}{after}  who, what"
        )

    def write_entry(self, entry: HistoryEntry) -> None:
        it = entry.recorded
        changes = "".join(f"{change(amount):>14}" for amount in entry.amounts)
        after = "".join(f"{units(amount):>16}" for amount in entry.balances)
        print(
            f"{local(it.at, self._zone)} {it.position:>10} {it.version:>7} {_topic(it):<22}"
            f"{changes}{after}  {it.actor}: {_what(it)}"
        )

    def end(self, who: str, moment: Moment, count: int, final: tuple[int, ...]) -> None:
        parts = ", ".join(
            f"{part} {units(amount)}" for part, amount in zip(PARTS, final, strict=True)
        )
        print(f"{who}: {parts}, total {units(sum(final))} u after {count:,} facts", end="")
        print(f", {moment.describe(self._zone)}")


class _Csv:
    """CSV: only the table on standard output."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._writer = csv.writer(sys.stdout)

    def begin(self, who: str, moment: Moment) -> None:
        print_status(f"{who}, {moment.describe(self._zone)}; amounts in minor units, 100 to 1u")
        changes = [f"{part}_minor" for part in PARTS]
        balances = [f"{part}_balance_minor" for part in PARTS]
        names = ["time", "position", "version", "topic", "actor", "command_id"]
        self._writer.writerow([*names, *changes, *balances, "fact"])

    def write_entry(self, entry: HistoryEntry) -> None:
        it = entry.recorded
        envelope = [local(it.at, self._zone), it.position, it.version, _topic(it), it.actor]
        fact = msgspec.json.encode(it.fact).decode()
        row = [*envelope, it.command_id, *entry.amounts, *entry.balances, fact]
        self._writer.writerow([csv_cells.escape(cell) for cell in row])

    def end(self, who: str, moment: Moment, count: int, final: tuple[int, ...]) -> None:
        parts = ", ".join(f"{part} {amount}" for part, amount in zip(PARTS, final, strict=True))
        print_status(
            f"{who}: {parts} minor units after {count} facts, {moment.describe(self._zone)}"
        )


class _Json:
    """JSON Lines: one object per line, the last one with the final balances."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def begin(self, who: str, moment: Moment) -> None:
        pass

    def write_entry(self, entry: HistoryEntry) -> None:
        it = entry.recorded
        _print_json(
            {
                "time": local(it.at, self._zone),
                "at": it.at,
                "position": it.position,
                "version": it.version,
                "topic": _topic(it),
                "actor": it.actor,
                "command_id": it.command_id,
                "fact": it.fact,
                "amounts_minor": dict(zip(PARTS, entry.amounts, strict=True)),
                "balances_minor": dict(zip(PARTS, entry.balances, strict=True)),
            }
        )

    def end(self, who: str, moment: Moment, count: int, final: tuple[int, ...]) -> None:
        balances = dict(zip(PARTS, final, strict=True))
        as_of = moment.as_dict(self._zone)
        _print_json({"who": who, "as_of": as_of, "facts": count, "balances_minor": balances})


def _print_json(value: dict[str, Any]) -> None:
    print(msgspec.json.encode(value).decode())


def _topic(recorded: RecordedFact) -> str:
    return TOPICS[type(recorded.fact)]


def _what(recorded: RecordedFact) -> str:
    """Returns every field of the fact, whatever its kind."""
    fields: dict[str, Any] = msgspec.to_builtins(recorded.fact)
    return " ".join(f"{name}={value}" for name, value in fields.items())


def find_player(connection: Connection, name_or_id: str) -> int:
    """Returns the player with this user name, or else with this id.

    Raises:
        AuditError: no player has that name, and it is not an id.
    """
    reads_names = _reads_names(connection)
    row = connection.execute(_BY_NAME, (name_or_id,)).fetchone() if reads_names else None
    if row is not None:
        return int(row[0])
    if name_or_id.isascii() and name_or_id.isdigit() and len(name_or_id) <= _MAX_ID_DIGITS:
        return int(name_or_id)
    if not reads_names:
        raise AuditError(f"this role cannot read names: give the id of player {name_or_id}")
    raise AuditError(f"there is no player {name_or_id}; an erased player has only an id")


def name_of(connection: Connection, player: int) -> str | None:
    """Returns the player's user name; None for erased players, bots and the auditor's role."""
    if not _reads_names(connection):
        return None
    row = connection.execute(_BY_PLAYER, (player,)).fetchone()
    return None if row is None else str(row[0])


def _reads_names(connection: Connection) -> bool:
    return connection.execute(_READS_VAULT).fetchone() == (True,)
