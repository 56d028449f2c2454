"""All facts of a player's account as the log's tree has them: /api/fair/account.

Each fact has its path to the root of one checkpoint. So a player can show to anyone, without the
server, what the log says about the account, and that no fact in between is missing.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Raw, Struct
from psycopg import Connection

from api.game.log_entries import names_others
from api.game.log_tree import DatabaseTiles, check_sealed, published_note
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import Count, PageSize, Position, Version
from api.http.long_lists import Encoded, ListReader
from api.http.middleware.security_headers import LOG
from api.http.refusals import CallRefused
from api.http.wire import encode
from engine.catalogue import GAMES
from engine.facts import player_stream
from engine.fairness import checkpoints
from engine.fairness.checkpoints import Note, NoteError
from engine.fairness.merkle import leaf_hash
from engine.fairness.tiles import inclusion_paths
from engine.refusals import Refusal
from engine.runtime.log.sealer import ENTRY
from projections import draws
from projections.pagination import fetch_rows

PATH: Final = f"{LOG}account"
_MAX_NUMBER: Final = 1 << 62
_GAME: Final = min(GAMES)
_FACTS: Final = (
    f"SELECT originator_version, notification_id, topic, actor, {ENTRY} FROM log.facts"
    " WHERE originator_id = %s AND originator_version > %s AND notification_id <= %s"
    " ORDER BY originator_version LIMIT %s"
)
_LAST_VERSION: Final = (
    "SELECT originator_version FROM log.facts WHERE originator_id = %s AND notification_id <= %s"
    " ORDER BY originator_version DESC LIMIT 1"
)


class AccountRequest(ApiRequest):
    """The caller's facts that follow the version `after`, proved in the tree of `size` facts.

    `size` is that of the first page, so that all pages have one checkpoint; the first page is
    requested without it. Without a `limit` there are up to 1,000 facts. For the rate limit, every
    50 facts count as one call.
    """

    after: Version = 0
    size: Count | None = None
    limit: PageSize | None = None


class ProvenFact(Struct, frozen=True, gc=False):
    """A fact of the caller's: its entry or its leaf in hex, and its path to the root.

    `entry` is as /api/fair/entry has it. It is null for a fact that names a member of staff or
    another player; `leaf` is then the hash of its leaf, which proves its place in the log but not
    its content. Otherwise `leaf` is null. The leaf has the index `position - 1`.
    """

    version: Version
    position: Position
    entry: str | None
    leaf: str | None
    path: tuple[str, ...]


class AccountCheckpoint(Struct, frozen=True):
    """A signed checkpoint of the log, with the public keys in hex of those who signed it.

    `witness_key` is that of the witness of the draws, null if it has not signed this checkpoint.
    """

    note: str
    operator_key: str
    witness_key: str | None


class AccountFacts(Struct, frozen=True):
    """A page of the caller's facts in order of their versions, which count from 1 without gaps.

    `size` is the number of facts in the tree to whose root the paths lead. `checkpoint` is that
    tree's, null if the request named a size. `remaining` are the caller's facts in the tree that
    follow this page.
    """

    size: Count
    checkpoint: AccountCheckpoint | None
    facts: tuple[ProvenFact, ...]
    remaining: Count


@call(
    PATH,
    "The log entries of all own facts",
    auth=Auth.PLAYER,
    use=SessionUse.WATCHING,
    refusals=(Refusal.FACT_UNSEALED,),
)
async def account(
    request: CallRequest, data: AccountRequest, clock: Callable[[], int], lists: ListReader
) -> CallResult[AccountFacts]:
    """Returns the caller's own facts in order, each proved to be in one checkpoint of the log.

    Facts that are not in the checkpoint yet are not returned. Facts that name a member of staff or
    another player are proved without their content. The next page is requested with the version of
    the last fact as `after`, and with the `size` of this page. A size that is larger than the
    newest checkpoint's is refused, and so is every call before the first checkpoint.
    """
    if not 0 <= data.after < _MAX_NUMBER:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "after")
    player, now = request.player, clock()

    def read(connection: Connection[Any], limit: int) -> Encoded:
        if data.size is None:
            size, checkpoint = _newest(connection, now)
        else:
            size, checkpoint = _checked_size(connection, data.size), None
        facts = _facts(connection, player, data.after, size, limit)
        last = facts[-1].version if facts else data.after
        remaining = _remaining(connection, player, last, size)
        page = AccountFacts(size, checkpoint, facts, remaining)
        return Encoded(Raw(encode(page)), len(facts), None)

    found = await lists.encode_own(request, PATH, data.limit, read)
    return CallResult(found.data)


def _checked_size(connection: Connection[Any], size: int) -> int:
    try:
        if size < 1:
            raise IndexError(size)
        check_sealed(connection, size)
    except IndexError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "size") from None
    return size


def _newest(connection: Connection[Any], now: int) -> tuple[int, AccountCheckpoint]:
    """Returns the size of the checkpoint to show at `now`, and that checkpoint."""
    text = published_note(connection, now)
    opened = draws.opened_last(connection, _GAME, 1)
    day = draws.day(connection, _GAME, opened[0].day) if opened else None
    if text is None or day is None:
        raise CallRefused(Refusal.FACT_UNSEALED)
    note, keys = checkpoints.read_note(text), day.opened
    witness_key = keys.witness_key if _is_cosigned(note, keys.witness_key) else None
    return note.checkpoint.size, AccountCheckpoint(text, keys.operator_key, witness_key)


def _is_cosigned(note: Note, witness_key: str) -> bool:
    for name in {each.name for each in note.signatures}:
        try:
            checkpoints.cosigned_at(note, name, bytes.fromhex(witness_key))
        except NoteError:
            continue
        return True
    return False


def _facts(
    connection: Connection[Any], player: int, after: int, size: int, limit: int
) -> tuple[ProvenFact, ...]:
    rows = fetch_rows(connection, _FACTS, (player_stream(player), after, size, limit))
    indices = [position - 1 for _, position, *_ in rows]
    paths = inclusion_paths(DatabaseTiles(connection), indices, size)
    return tuple(_proven(row, path) for row, path in zip(rows, paths, strict=True))


def _proven(row: tuple[Any, ...], path: list[bytes]) -> ProvenFact:
    version, position, topic, actor, entry = row
    is_withheld = names_others(topic, actor)
    return ProvenFact(
        version,
        position,
        None if is_withheld else entry.hex(),
        leaf_hash(entry).hex() if is_withheld else None,
        tuple(each.hex() for each in path),
    )


def _remaining(connection: Connection[Any], player: int, last: int, size: int) -> int:
    """Returns how many of the player's facts in the tree follow the version `last`."""
    found = fetch_rows(connection, _LAST_VERSION, (player_stream(player), size))
    return max(0, found[0][0] - last) if found else 0
