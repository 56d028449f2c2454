"""What a restore left in the folder of keys, and which segments of draws end because of it.

`scripts/restore` writes `restored.json` next to the keys, so that it moves with them to other
machines. Rounds after the restored moment may have been drawn before the restore, and their secrets
are public: no round is sold any more in a segment that was opened before it.
"""

from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from engine.catalogue import GAMES
from engine.facts import game_stream
from engine.house.facts import DayOpened
from engine.runtime.log.fact_log import FactLog

_FILE: Final = "restored.json"
_UNFINISHED: Final = "restore.unfinished"


class RestoreRecord(Struct, frozen=True):
    """A restore. Times are in microseconds since 1970; `position` is the log's last fact.

    `id` distinguishes the restored house from the one before. `target` is the requested time or
    position, empty for the newest one. `known` is the highest position that is known to have
    existed. `cosigned` are the checkpoints of the server's own witness beyond `position`, which the
    restore removed from its store: origin, size and root in hex. The position is 0 where the
    restore did not run the database.
    """

    id: str
    restored_at: int
    backup: str
    target: str = ""
    position: int = 0
    at: int = 0
    known: int = 0
    cosigned: tuple[tuple[str, int, str], ...] = ()


_decode: Final = msgspec.json.Decoder(RestoreRecord).decode


def read(keys: Path) -> RestoreRecord | None:
    """Returns the last restore of a house; None if it never was restored."""
    try:
        return _decode((keys / _FILE).read_bytes())
    except FileNotFoundError:
        return None


def write(keys: Path, record: RestoreRecord) -> None:
    """Record a restore."""
    (keys / _FILE).write_bytes(msgspec.json.format(msgspec.json.encode(record)) + b"\n")


def unfinished_file(data: Path) -> Path:
    """The file that a data folder has while it is being restored; no server starts on it."""
    return data / _UNFINISHED


def segments_before(log: FactLog, restored_at: int) -> list[tuple[int, str]]:
    """Returns the days and segments that were opened before a restore: game and name."""
    days = log.streams([game_stream(game) for game in GAMES])
    return [
        (each.fact.game, each.fact.day)
        for each in days
        if isinstance(each.fact, DayOpened) and each.at <= restored_at
    ]
