"""`scripts/audit log`: is every fact the one that was sealed?

The code here is the auditor's own: it imports nothing of the engine's tree, checkpoints or
signatures, so that one mistake cannot hide in both.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import accumulate, pairwise
from pathlib import Path
from struct import Struct
from typing import Final, NamedTuple

from scripts.audit_tool import CLEAN, FINDING, AuditError, log_checkpoints
from scripts.audit_tool.database import Connection, open_snapshot, print_status
from scripts.audit_tool.log_checkpoints import (
    Signed,
    Trust,
    compared_with,
    content_of,
    read_kept,
    remarks,
)

NAME = "log"
HELP = "hash every fact, and compare the log with its sealed tree and its signed checkpoints"
DESCRIPTION = """\
Hash every fact again and compare it with the leaf that was sealed about a second after it was
stored. Then compare the root hash with every checkpoint that the operator signed, with those in the
database that a witness has cosigned, and with checkpoints that others have kept (--checkpoint): a
player's phone, the witness, an earlier audit.

A changed, moved or missing fact is a FINDING with its position. The owner of the database can also
rewrite the sealed tree and sign new checkpoints. The witness does not sign these, so the old ones
that it cosigned show the rewrite, unless the owner deletes them; a checkpoint that was kept
elsewhere always does. The finding names the positions between the last checkpoint of this kind that
fits and the first that does not. The lines with "not ruled out" say what could not be compared.

Cosignatures are verified by the witnesses' keys that the log's days name. The owner can rewrite the
days too: name the key that you know from elsewhere with --witness-key.

With --continue a clean run keeps its checkpoint and the edge of the tree in a file, and the next
run begins there. It proves that the log continues what was read before, and does not read that
again: a fact that was changed since is found by a run without --continue."""
EXAMPLES = """\
  scripts/audit log
  scripts/audit log --checkpoint from-a-phone.txt --checkpoint last-month.txt
  scripts/witness checkpoint > witness.txt       # on the witness's machine; then, with its key:
  scripts/audit log --checkpoint witness.txt --witness-key 450b8c…
  scripts/audit log --save checkpoint.txt        # keep it where the operator cannot change it
  scripts/audit log --continue audit.json        # the next run reads only the facts after this one
"""
_SHOWN: Final = 20
_WIDTH: Final = 256
_HASH: Final = 32
_CHUNK: Final = 1_024 * _WIDTH
_COPY_HEADER_BYTES: Final = 19
_COLUMNS_BYTES: Final = 2
_LENGTH_BYTES: Final = 4
_LENGTH: Final = Struct(">i")
_TEXT: Final = "int2send(octet_length({0})::int2) || textsend({0})"
_ENTRY: Final = " || ".join(
    (
        "int8send(notification_id)",
        _TEXT.format("originator_id"),
        "int8send(originator_version)",
        _TEXT.format("topic"),
        "int8send(at)",
        _TEXT.format("command_id"),
        _TEXT.format("actor"),
        "int4send(length(state)) || state",
    )
)
# A row for each tile: the hashed bytes of its entries, one after the other, and their lengths. One
# row for each fact would cost as much as its hashes.
_COPY: Final = (
    "COPY (SELECT tile.* FROM generate_series({first}, {last} - 1, {width}) AS first, LATERAL ("
    " SELECT string_agg(entry, ''), string_agg(int4send(length(entry)), '') FROM ("
    f" SELECT '\\x00'::bytea || {_ENTRY} AS entry FROM log.facts"
    " WHERE notification_id > first AND notification_id <= least(first + {width}, {last})"
    " ORDER BY notification_id) AS entries) AS tile) TO STDOUT (FORMAT BINARY)"
)
_TILES: Final = (
    "SELECT number, hashes FROM log.tiles WHERE level = 0 AND number >= %s AND number < %s"
)
_TILE_COUNT: Final = "SELECT count(*) FROM log.tiles WHERE level = 0"
_HAS_TREE: Final = "SELECT to_regclass('log.tiles') IS NOT NULL"
_LAST: Final = "SELECT coalesce(max(notification_id), 0) FROM log.facts"
_OUTSIDE: Final = (
    "SELECT originator_id, originator_version FROM log.facts"
    " WHERE notification_id < 1 OR notification_id IS NULL ORDER BY 1, 2"
)


class Edge(NamedTuple):
    """Where a run ended: its last checkpoint, and the roots of the full tiles before it."""

    note: str
    subtrees: list[bytes]
    tiles: int

    @property
    def is_whole(self) -> bool:
        """Whether these are the roots of so many tiles."""
        count = self.tiles.bit_count()
        return len(self.subtrees) == count and all(len(it) == _HASH for it in self.subtrees)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the checkpoints and keys from outside, and the files to write."""
    log_checkpoints.add_arguments(parser)
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the newest checkpoint")
    parser.add_argument(
        "--continue",
        dest="edge",
        type=Path,
        metavar="FILE",
        help="begin where the last run with this file ended, and keep in it where this one ends",
    )


def run(options: argparse.Namespace) -> int:
    """Print the findings on standard error and a summary; returns the exit status."""
    with open_snapshot(options.data) as connection:
        if not is_sealed(connection):
            raise AuditError("this log is not sealed yet: start the server once")
        found = compared_with(connection, options)
        edge = _read_edge(options.edge) if options.edge and options.edge.exists() else None
        began = time.monotonic()
        if edge is not None:
            last = read_kept(edge.note, str(options.edge), found.operator_key)
            found = found._replace(notes=notes_after(edge, found.notes, last))
        audit = LogAudit(found.notes, edge, found.findings)
        audit.read(connection)
        seconds = time.monotonic() - began
    for finding in audit.findings[:_SHOWN]:
        print_status(f"FINDING {finding}")
    if len(audit.findings) > _SHOWN:
        print_status(f"… and {len(audit.findings) - _SHOWN:,} more")
    if found.operator_key is None and not audit.findings:
        raise AuditError("the log has no day yet: name the operator's key with --operator-key")
    print(audit.summary(seconds, remarks(found, audit.fits_by, audit.last)))
    if audit.findings:
        return FINDING
    newest = max(found.notes, key=lambda each: (each.size, each.trust), default=None)
    if options.save and newest is not None:
        options.save.write_text(newest.text)
        print(f"saved the checkpoint over {newest.size:,} facts in {options.save}")
    if options.edge and audit.edge is not None:
        _write_edge(options.edge, audit.edge)
    return CLEAN


def notes_after(edge: Edge, notes: list[Signed], last: Signed) -> list[Signed]:
    """Returns the checkpoints to compare in a run that begins at an edge.

    Raises AuditError if one of another party covers only what is not read again.
    """
    begun = edge.tiles * _WIDTH
    for note in notes:
        if note.size <= begun and not note.is_stored:
            raise AuditError(f"{note.source} is older than the last run: leave out --continue")
    return [note for note in notes if note.size > begun] + [last]


def _read_edge(file: Path) -> Edge:
    """Returns where an earlier run ended. Raises AuditError if the file does not say it."""
    try:
        found = json.loads(content_of(file))
        subtrees = [bytes.fromhex(each) for each in found["subtrees"]]
        edge = Edge(str(found["note"]), subtrees, int(found["tiles"]))
    except (ValueError, KeyError, TypeError):
        raise AuditError(f"{file} is not the file of an earlier run") from None
    if not edge.is_whole:
        raise AuditError(f"{file} is not the file of an earlier run")
    return edge


def _write_edge(file: Path, edge: Edge) -> None:
    subtrees = [each.hex() for each in edge.subtrees]
    content = json.dumps({"note": edge.note, "subtrees": subtrees, "tiles": edge.tiles}, indent=1)
    fresh = file.with_name(file.name + ".new")
    fresh.write_text(content + "\n")
    fresh.replace(file)


def is_sealed(connection: Connection) -> bool:
    """Whether the database has the tables of the tree."""
    row = connection.execute(_HAS_TREE).fetchone()
    return row is not None and bool(row[0])


class LogAudit:
    """Hashes the whole log in the order of positions."""

    def __init__(
        self, notes: Iterable[Signed], edge: Edge | None = None, findings: Iterable[str] = ()
    ) -> None:
        """`notes` are the checkpoints to compare with; `edge` is where an earlier run ended.

        `findings` has those of the checkpoints, and then those of the log. `facts` is the number of
        facts read, `last` the position of the last one, `fits` up to which position they fit a
        signed checkpoint, and `edge` where this run ended.
        """
        self.findings = list(findings)
        self.facts = self.last = 0
        self.edge = edge
        self._notes = sorted(notes, key=lambda each: each.size)
        sizes = (each.size for each in self._notes if each.is_signed is not False)
        self._sealed = max(sizes, default=0)
        # The roots of full tiles, as a binary counter.
        self._subtrees: list[bytes] = list(edge.subtrees) if edge else []
        self._tiles = edge.tiles if edge else 0
        self._begun = self.fits = self._tiles * _WIDTH
        self._fits: dict[Trust, list[int]] = {trust: [] for trust in Trust}
        self._misfits: dict[tuple[Trust, int], list[Signed]] = {}
        self._leaves: list[bytes] = []
        for each in self._notes:
            if each.is_signed is False:
                self._find(
                    f"{each.source}: the checkpoint over {each.size:,} is not signed with the"
                    " operator's key"
                )

    @property
    def fits_by(self) -> dict[Trust, int]:
        """Up to which position the facts fit signed checkpoints of each trust; 0 if none."""
        return {trust: max(sizes, default=0) for trust, sizes in self._fits.items()}

    def read(self, connection: Connection) -> None:
        """Read and compare everything."""
        row = connection.execute(_LAST).fetchone()
        assert row is not None
        last = self.last = row[0]
        end_of_all = max(last, min(self._sealed, _most_leaves(connection)))
        for stream, version in connection.execute(_OUTSIDE):
            self._find(f"the fact {version} of {stream} has a position outside the log")
        for first in range(self._begun, end_of_all, _CHUNK):
            end = min(first + _CHUNK, end_of_all)
            sealed = _tiles(connection, first // _WIDTH)
            stored = _entries(connection, first, end)
            for start, entries in zip(range(first, end, _WIDTH), stored, strict=True):
                tile = sealed.get(start // _WIDTH, b"")
                self._read_tile(start, min(start + _WIDTH, end), entries, tile)
        self.facts = max(0, last - self._begun)
        if last < self._sealed:
            self._find(f"the log ends at position {last:,}, but {self._sealed:,} facts were sealed")
        self._end()

    def _read_tile(self, first: int, end: int, entries: list[bytes], sealed: bytes) -> None:
        """Compare the facts after position `first` up to `end`, which the database has."""
        leaves = [sha256(entry).digest() for entry in entries]
        if len(leaves) != end - first or b"".join(leaves) != sealed[: len(leaves) * _HASH]:
            leaves = self._compared(first, end, list(zip(entries, leaves, strict=True)), sealed)
        while self._notes and self._notes[0].size <= end:
            note = self._notes.pop(0)
            self._leaves = leaves[: note.size - first]
            self._compare(note)
        self._leaves = leaves
        if len(leaves) == _WIDTH:
            self._add_tile()

    def _compared(
        self, first: int, end: int, found: list[tuple[bytes, bytes]], sealed: bytes
    ) -> list[bytes]:
        """Find which facts of a tile differ; `found` has their entries and leaves.

        Returns the sealed leaves. The tree continues with them, so that a checkpoint that does not
        fit is a finding of its own: then the tree was changed too.
        """
        by_position = {_position(entry): leaf for entry, leaf in found}
        counts = Counter(_position(entry) for entry, _ in found)
        for position, count in counts.items():
            if count > 1:
                self._find(f"position {position:,}: {count} facts have this position")
        leaves = []
        for position in range(first + 1, end + 1):
            place = (position - first - 1) * _HASH
            expected, leaf = sealed[place : place + _HASH], by_position.get(position)
            if leaf is None:
                self._find(f"position {position:,}: the fact is missing")
            elif expected and leaf != expected:
                self._find(f"position {position:,}: the fact is not the one that was sealed")
            elif not expected and position <= self._sealed:
                self._find(f"position {position:,}: the fact has no sealed leaf")
            leaves.append(expected or leaf or bytes(_HASH))
        return leaves

    def _add_tile(self) -> None:
        root, self._leaves = _root(self._leaves), []
        number, self._tiles = self._tiles, self._tiles + 1
        while number & 1:
            root = _node(self._subtrees.pop(), root)
            number >>= 1
        self._subtrees.append(root)

    def _compare(self, note: Signed) -> None:
        """Compare a checkpoint over the facts that were read so far."""
        if self._root() != note.root:
            self._misfits.setdefault((note.trust, self._agreed(note)), []).append(note)
        elif note.is_signed is not False:
            self._fits[note.trust].append(note.size)
            self.fits = note.size
            self.edge = Edge(note.text, list(self._subtrees), self._tiles)

    def _agreed(self, note: Signed) -> int:
        """Returns up to which position the log is known to agree with that of a checkpoint.

        Only checkpoints that are at least as hard to forge say so: who rewrites the log signs new
        ones anywhere.
        """
        sizes = (
            next((size for size in reversed(self._fits[trust]) if size < note.size), self._begun)
            for trust in Trust
            if trust >= note.trust
        )
        return max(sizes)

    def _end(self) -> None:
        """Add the findings of all checkpoints that did not fit, the strongest first."""
        for (_, agreed), (first, *later) in sorted(self._misfits.items(), reverse=True):
            more = f", and from {len(later):,} more after it" if later else ""
            self._find(
                f"positions {agreed + 1:,} to {first.size:,}: the log differs from the checkpoint"
                f" over {first.size:,} facts in {first.source}{more}"
            )
        for note in self._notes:  # beyond everything that exists
            self._find(f"the checkpoint over {note.size:,} facts in {note.source} has no log")
        self._notes.clear()

    def _root(self) -> bytes:
        """Returns the root over the facts that were read so far."""
        root = _root(self._leaves) if self._leaves else None
        for subtree in reversed(self._subtrees):
            root = subtree if root is None else _node(subtree, root)
        return sha256(b"").digest() if root is None else root

    def _find(self, finding: str) -> None:
        self.findings.append(finding)

    def summary(self, seconds: float, open_questions: Iterable[str] = ()) -> str:
        """Returns what was read, how fast, and what could not be ruled out."""
        rate = self.facts / max(seconds, 0.001)
        unsealed = max(0, self._begun + self.facts - self._sealed)
        rows = [
            f"{self.facts:,} facts hashed, {rate:,.0f} a second",
            f"root {self._root().hex()}",
            f"{self.fits:,} facts fit a signed checkpoint; {unsealed:,} are not sealed yet",
        ]
        if self._begun:
            rows.insert(1, f"{self._begun:,} facts before them were read by an earlier run")
        count = len(self.findings)
        verdict = f"{count:,} {'finding' if count == 1 else 'findings'}" if count else "clean"
        rows += [f"not ruled out: {each}" for each in open_questions]
        return "\n".join([*rows, verdict])


def _entries(connection: Connection, after: int, until: int) -> Iterator[list[bytes]]:
    """Yields the hashed bytes of the facts of each tile, in the order of positions."""
    query = _COPY.format(first=after, last=until, width=_WIDTH).encode()
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        header = _COPY_HEADER_BYTES
        for row in copy:
            if len(row) > header + _COLUMNS_BYTES:  # the end marker is shorter
                yield _split(memoryview(row)[header + _COLUMNS_BYTES :])
            header = 0


def _split(row: memoryview) -> list[bytes]:
    """Returns the entries of a row: their bytes after a length, and then their lengths."""
    end = _LENGTH_BYTES + int.from_bytes(row[:_LENGTH_BYTES], "big", signed=True)
    if end < _LENGTH_BYTES:  # NULL: the tile has no fact
        return []
    content, lengths = bytes(row[_LENGTH_BYTES:end]), row[end + _LENGTH_BYTES :]
    ends = [*accumulate((length for (length,) in _LENGTH.iter_unpack(lengths)), initial=0)]
    return [content[start:stop] for start, stop in pairwise(ends)]


def _position(entry: bytes) -> int:
    return int.from_bytes(entry[1:9], "big")


def _most_leaves(connection: Connection) -> int:
    """Returns a bound on the leaves that were sealed, whatever the checkpoints say."""
    row = connection.execute(_TILE_COUNT).fetchone()
    return 0 if row is None else int(row[0]) * _WIDTH


def _tiles(connection: Connection, first: int) -> dict[int, bytes]:
    """Returns the sealed leaves of a chunk, by the number of their tile."""
    rows = connection.execute(_TILES, (first, first + _CHUNK // _WIDTH))
    return {number: bytes(hashes) for number, hashes in rows}


def _root(level: list[bytes]) -> bytes:
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [sha256(b"\1" + left + right).digest() for left, right in pairs]
        level = above + level[len(above) * 2 :]
    return level[0]


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()
