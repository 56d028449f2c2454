"""The signed checkpoints that `scripts/audit log` and `check` compare the log with.

The database has the operator's own checkpoints, and those that witnesses cosigned. The owner of the
database can replace the former and delete the latter, so that checkpoints from outside prove more.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple

from scripts.audit_tool import AuditError
from scripts.audit_tool.database import Connection
from scripts.audit_tool.evidence_checking import MALFORMED
from scripts.audit_tool.evidence_formats import (
    HASH_BYTES,
    are_valid_cosignatures,
    cosignatures,
    from_hex,
    is_signed_note,
    read_note,
)

_STORED: Final = "the database"
_STORED_COSIGNED: Final = "the database, cosigned by a witness"
_NOTES: Final = "SELECT size, note FROM log.checkpoints ORDER BY size"
_COSIGNED: Final = "SELECT size, note FROM log.cosigned ORDER BY size"
_HAS_COSIGNED: Final = "SELECT to_regclass('log.cosigned') IS NOT NULL"
# Hours with a checkpoint, but none that was cosigned, since the first that was.
_HOURS: Final = (
    "SELECT count(*) FROM log.checkpoints WHERE hour > (SELECT min(hour) FROM log.cosigned)"
    " AND hour NOT IN (SELECT hour FROM log.cosigned)"
)
# Streams of games; the index is in byte order, in which '.' follows '-'.
_DAYS: Final = (
    "SELECT notification_id, state FROM log.facts WHERE originator_id >= 'game-'"
    " AND originator_id < 'game.' AND topic LIKE 'day-opened.%' ORDER BY notification_id"
)
_FROM_WITNESS: Final = "`scripts/witness checkpoint` prints the witness's newest"


class Trust(IntEnum):
    """Who would have to help the owner of the database to forge a checkpoint."""

    HOUSE = 0
    """No one: it is stored in the database, with the operator's signature."""
    COSIGNED = 1
    """The witness that the log's own days name."""
    OUTSIDE = 2
    """Who kept it elsewhere, or the witness whose key the auditor named."""


class Signed(NamedTuple):
    """A checkpoint: what it covers, where it comes from, and whether the operator signed it.

    `is_signed` is None if the operator's key is not known.
    """

    size: int
    root: bytes
    source: str
    text: str
    is_signed: bool | None = False
    trust: Trust = Trust.HOUSE
    is_stored: bool = True


class Days(NamedTuple):
    """The keys that the log's days name, and the days that are wrong.

    `operator_key` is that of the first day, None if no day has one.
    """

    operator_key: bytes | None
    witness_keys: tuple[bytes, ...]
    findings: tuple[str, ...]


class Comparison(NamedTuple):
    """The checkpoints to compare with, and what was found wrong with them.

    `operator_key` is None if it is not known; `silent` are the witnesses of which no cosignature is
    stored; `unknown` counts stored notes without the signature of a known witness, and `hours`
    those since the first cosignature that have none.
    """

    operator_key: bytes | None
    notes: list[Signed]
    findings: list[str]
    is_operator_named: bool = False
    silent: tuple[bytes, ...] = ()
    unknown: int = 0
    hours: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the reader has from outside of the database."""
    parser.add_argument(
        "--checkpoint",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a checkpoint that was kept elsewhere, by a player, by the witness (`scripts/witness"
        " checkpoint`) or by an earlier audit; may be repeated",
    )
    parser.add_argument(
        "--operator-key",
        type=_key,
        metavar="HEX",
        help="the operator's public key (that of the log's first day)",
    )
    parser.add_argument(
        "--witness-key",
        type=_key,
        action="append",
        default=[],
        metavar="HEX",
        help="the public key of a witness (those that the log's days name); each checkpoint of"
        " --checkpoint must have its signature then; may be repeated",
    )


def compared_with(connection: Connection, options: argparse.Namespace) -> Comparison:
    """Returns the checkpoints in the database and in the files, each with its signatures verified.

    Raises AuditError if a file has no checkpoint.
    """
    days = days_of(connection)
    operator_key = options.operator_key or days.operator_key
    reader = _Reader(operator_key, options.witness_key, days.witness_keys)
    notes = list(reader.stored(connection, _NOTES, _STORED))
    cosigned: list[Signed] = []
    hours = 0
    if _has_cosigned(connection):
        cosigned = list(reader.stored(connection, _COSIGNED, _STORED_COSIGNED))
        row = connection.execute(_HOURS).fetchone()
        hours = row[0] if row else 0
    silent = tuple(key for key in reader.witness_keys if key not in reader.cosigners)
    kept = [reader.kept(content_of(file), str(file)) for file in options.checkpoint]
    return Comparison(
        operator_key,
        [*notes, *cosigned, *kept],
        [*days.findings, *reader.findings],
        is_operator_named=options.operator_key is not None,
        silent=silent,
        unknown=sum(each.trust is Trust.HOUSE for each in cosigned),
        hours=hours,
    )


def remarks(it: Comparison, fits: dict[Trust, int], facts: int) -> Iterator[str]:
    """Yields what the audit could not rule out.

    `fits` says up to which position the log fits checkpoints of each trust; `facts` is the position
    of its last fact.
    """
    outside, cosigned = fits[Trust.OUTSIDE], max(fits[Trust.COSIGNED], fits[Trust.OUTSIDE])
    again = "a history that the house rewrote and signed again"
    if it.operator_key is None:
        yield "the log has no day: no signature was verified; give --operator-key HEX"
    if any(each.trust is Trust.OUTSIDE for each in it.notes):
        if outside < facts:
            yield (
                f"{again} after position {outside:,}: no checkpoint from outside this database"
                f" covers the {facts - outside:,} facts after it"
            )
    elif cosigned:
        yield (
            "nothing outside this database was compared: the witness's key is the one that the log"
            f" names, and {again} with a witness of its own would look the same; give"
            " --witness-key HEX, or --checkpoint FILE"
        )
    else:
        what = "no checkpoint" if it.is_operator_named else "nothing"
        key = "" if it.is_operator_named else ", and --operator-key HEX"
        yield (
            f"{what} outside this database was compared: {again} would look the same; give"
            f" --checkpoint FILE ({_FROM_WITNESS}){key}"
        )
    if it.silent:
        yield (
            f"no checkpoint is stored that the witness {_names(it.silent)} cosigned: the owner of"
            f" the database can delete them; compare --checkpoint FILE ({_FROM_WITNESS})"
        )
    if it.unknown:
        yield f"{it.unknown:,} stored checkpoints have no signature of a known witness"
    if it.hours:
        yield f"{it.hours:,} hours since the first cosigned checkpoint have none stored"
    if outside < cosigned < facts:
        yield f"the witness signed {cosigned:,} facts, and not yet the {facts - cosigned:,} others"


def _names(keys: Sequence[bytes]) -> str:
    return ", ".join(f"{key.hex()[:16]}…" for key in keys)


def days_of(connection: Connection) -> Days:
    """Returns the keys of all days. A day that cannot be read is a finding."""
    operators: dict[bytes, int] = {}
    witnesses: dict[bytes, None] = {}
    findings: list[str] = []
    others: list[int] = []
    for position, state in connection.execute(_DAYS):
        try:
            day = json.loads(bytes(state).decode())
            operator, witness = (
                from_hex(day[name], HASH_BYTES) for name in ("operator_key", "witness_key")
            )
        except MALFORMED:
            findings.append(f"position {position:,}: the day has no readable keys")
            continue
        operators.setdefault(operator, position)
        witnesses[witness] = None
        if len(operators) > 1 and operator != next(iter(operators)):
            others.append(position)
    if others:
        first = next(iter(operators.values()))
        findings.append(
            f"position {others[0]:,}: the day names another operator's key than that of position"
            f" {first:,} (so do {len(others) - 1:,} later ones)"
        )
    return Days(next(iter(operators), None), tuple(witnesses), tuple(findings))


def _has_cosigned(connection: Connection) -> bool:
    row = connection.execute(_HAS_COSIGNED).fetchone()
    return row is not None and bool(row[0])


class _Reader:
    """Reads checkpoints, and verifies their signatures by known keys."""

    def __init__(
        self, operator_key: bytes | None, named: Sequence[bytes], by_days: Sequence[bytes]
    ) -> None:
        """`named` are the witnesses' keys that the auditor knows; else those of the days count.

        `findings` has what was wrong, `cosigners` the witnesses whose signature was found.
        """
        self.findings: list[str] = []
        self.cosigners: set[bytes] = set()
        self.witness_keys = tuple(dict.fromkeys(named or by_days))
        self._operator_key = operator_key
        self._is_named = bool(named)

    def stored(self, connection: Connection, query: str, source: str) -> Iterator[Signed]:
        """Yields the checkpoints of a table."""
        for size, text in connection.execute(query):
            try:
                yield self._read(text, source)
            except ValueError:
                self.findings.append(f"{source}: the checkpoint over {size:,} is malformed")

    def kept(self, text: str, source: str) -> Signed:
        """Returns a checkpoint of a file. Raises AuditError if the text is none."""
        try:
            found = self._read(text, source)
        except ValueError:
            raise AuditError(f"{source} has a checkpoint that is malformed") from None
        if self._is_named and found.trust is Trust.HOUSE:
            self.findings.append(
                f"{source}: the checkpoint over {found.size:,} has no signature of the witness that"
                " you named"
            )
        return found._replace(trust=Trust.OUTSIDE, is_stored=False)

    def _read(self, text: str, source: str) -> Signed:
        note, key = read_note(text), self._operator_key
        if len(note.root) != HASH_BYTES:
            raise ValueError("not a root hash")
        signing = [each for each in self.witness_keys if cosignatures(note, each)]
        valid = [each for each in signing if are_valid_cosignatures(note, each)]
        if len(valid) < len(signing):
            self.findings.append(
                f"{source}: a witness's signature on the checkpoint over {note.size:,} is wrong"
            )
        self.cosigners.update(valid)
        trust = Trust.OUTSIDE if self._is_named else Trust.COSIGNED
        return Signed(
            note.size,
            note.root,
            source,
            text,
            None if key is None else is_signed_note(note, key),
            trust if valid else Trust.HOUSE,
        )


def read_kept(text: str, source: str, operator_key: bytes | None) -> Signed:
    """Returns a checkpoint that the auditor kept. Raises AuditError if the text is none."""
    return _Reader(operator_key, (), ()).kept(text, source)


def content_of(file: Path) -> str:
    """Returns a file's text. Raises AuditError if it cannot be read."""
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise AuditError(f"{file} cannot be read: {error}") from None


def _key(text: str) -> bytes:
    try:
        return from_hex(text.lower(), HASH_BYTES)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a public key of 64 hex digits") from None
