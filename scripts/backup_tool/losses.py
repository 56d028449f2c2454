"""What a restored house has lost: compared with all that is known of the house before.

The archive and the manifests say how far the log had come. So do the checkpoints that the server's
own witness cosigned, and the rounds whose secrets it released.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.postgres.embedded_postgres import EmbeddedPostgres
from engine.runtime.witness.local_witness import WITNESS_FOLDER
from engine.runtime.witness.witness_store import WitnessStore
from engine.runtime.writer.startup import recover
from scripts.backup_tool.repository import Manifest, Newest, Repository, text_of

Cosigned = tuple[str, int, str]
"""The origin, size and root in hex of a checkpoint."""
_FORGET: Final = (
    "The house's own witness has cosigned {size:,} facts, more than were restored. That checkpoint"
    " was removed from its records, and is kept in keys/restored.json."
)


def known_position(repository: Repository, cosigned: Sequence[Cosigned]) -> Newest:
    """Returns the highest position that is known to have existed, and when; `at` 0 if unknown."""
    found = [Newest(each.position_before, each.began) for each in repository.backups()]
    found += [Newest(size, 0) for _, size, _ in cosigned]
    archived = repository.newest()
    return max([*found, *([archived] if archived else [])], key=lambda each: each.position)


def forget_later_checkpoints(keys: Path, position: int) -> list[Cosigned]:
    """Remove the checkpoints beyond a position from the own witness's store; returns them.

    Without that it would cosign no checkpoint of the restored log.
    """
    store = WitnessStore(keys / WITNESS_FOLDER)
    later = [
        (each.origin, each.size, each.root.hex())
        for each in store.checkpoints()
        if each.size > position
    ]
    if later:
        store.forget_checkpoints()
    return later


def released_later(server: EmbeddedPostgres, keys: Path) -> Iterator[str]:
    """Yields the open days of which the own witness released more than the restored log drew."""
    with datastore(server.dsn("app")) as store:
        games = recover(FactLog(store)).games
    days = WitnessStore(keys / WITNESS_FOLDER).state().days
    for game, day in sorted(games.items()):
        witnessed = days.get((str(game), day.day))
        if witnessed is not None and witnessed.last > day.revealed[0]:
            yield (
                f"Game {game}, {day.day}: the witness has released secrets up to round"
                f" {witnessed.last}, and the restored log has drawn up to {day.revealed[0]}."
            )


def describe(
    manifest: Manifest, restored: Newest, known: Newest, cosigned: Sequence[Cosigned]
) -> Iterator[str]:
    """Yields what was restored, and what is missing from it as far as is known."""
    yield f"Restored from the backup {manifest.id}, made {text_of(manifest.ended)}."
    yield f"The log ends at position {restored.position:,}, recorded {text_of(restored.at)}."
    lost = known.position - restored.position
    if lost > 0:
        when = f", reached {text_of(known.at)}" if known.at else ""
        yield (
            f"Lost: {lost:,} facts, from position {restored.position + 1:,} on. The house is known"
            f" to have had position {known.position:,}{when}."
        )
    else:
        yield "No fact is known to be missing. What came after the last copy is not known here."
    for _, size, _ in cosigned:
        yield _FORGET.format(size=size)
