"""A player's own facts as the log's tree has them: /api/fair/entry and /api/fair/account.

The tree is public, its entries are not. With the bytes of an entry a player computes its leaf, and
checks that the leaf is in the tree of the public checkpoint. Of the whole account each fact has its
path to the root of one checkpoint. So a player can show to anyone, without the server, what the log
says about the account, and that no fact in between is missing.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Raw, Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.game.log_tree import check_sealed, published_note
from api.game.receipts import BatchProof, batch_proof
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import Count, PageSize, Position, Version
from api.http.long_lists import Encoded, ListReader
from api.http.middleware.security_headers import LOG
from api.http.refusals import CallRefused
from api.http.wire import encode
from engine.bets.facts import BetPlaced
from engine.catalogue import GAMES
from engine.facts import TOPICS, TYPES, player_stream
from engine.fairness import checkpoints
from engine.fairness.checkpoints import Note, NoteError
from engine.fairness.merkle import leaf_hash
from engine.fairness.tiles import inclusion_paths
from engine.refusals import Refusal
from engine.runtime.log.sealer import ENTRY, SEALED_SIZE, StoredTiles
from engine.runtime.port import EnginePort
from engine.staff.roles import actor_of
from projections import draws
from projections.pagination import fetch_rows

_MAX_ID_LENGTH: Final = 64
_MAX_NUMBER: Final = 1 << 62
_POSITION_OF_BET: Final = "SELECT position FROM views.bets WHERE bet = %s AND player = %s"
_FACT: Final = (
    f"SELECT originator_version, topic, actor, {ENTRY} FROM log.facts"
    " WHERE notification_id = %s AND originator_id = %s"
)
# Fields with the name of a member of staff, or with the number of another player.
_FIELDS_OF_OTHERS: Final = frozenset({"by", "proposed_by", "other"})
_TOPICS_OF_OTHERS: Final = frozenset(
    topic for topic, kind in TYPES.items() if _FIELDS_OF_OTHERS & {*kind.__struct_fields__}
)
_STAFF: Final = actor_of("")
_ACCOUNT_PATH: Final = f"{LOG}account"
_GAME: Final = min(GAMES)
_ACCOUNT_FACTS: Final = (
    f"SELECT originator_version, notification_id, topic, actor, {ENTRY} FROM log.facts"
    " WHERE originator_id = %s AND originator_version > %s AND notification_id <= %s"
    " ORDER BY originator_version LIMIT %s"
)
_LAST_VERSION: Final = (
    "SELECT originator_version FROM log.facts WHERE originator_id = %s AND notification_id <= %s"
    " ORDER BY originator_version DESC LIMIT 1"
)


class EntryRequest(ApiRequest):
    """One of the caller's own facts: a bet by its number, or any fact by its position."""

    bet: str = ""
    position: Position | None = None


class LogEntry(Struct, frozen=True, gc=False):
    """A fact of the caller's: `entry` in hex is what its leaf in the log's tree hashes.

    It is `u64(position) || lp(stream) || u64(version) || lp(topic) || u64(at) || lp(command id) ||
    lp(actor) || u32(length of the state) || state`, all numbers big-endian, `lp` a length of 2
    bytes and the text, `at` in microseconds. The leaf is SHA-256 of a zero byte and the entry; it
    has the index `position - 1`. `batch` is the signature of a bet's receipt, null for other facts.
    """

    position: Position
    entry: str
    batch: BatchProof | None


class _Found(Struct, frozen=True):
    position: int
    version: int
    topic: str
    actor: str
    entry: bytes
    sealed: int

    @property
    def has_others(self) -> bool:
        """Whether the entry names a member of staff or another player."""
        return names_others(self.topic, self.actor)


def names_others(topic: str, actor: str) -> bool:
    """Whether an entry with this topic and actor names a member of staff or another player."""
    return topic in _TOPICS_OF_OTHERS or actor.startswith(_STAFF)


@call(
    f"{LOG}entry",
    "The log entry of an own fact",
    auth=Auth.PLAYER,
    use=SessionUse.WATCHING,
    refusals=(Refusal.FACT_UNKNOWN, Refusal.FACT_UNSEALED),
)
async def entry(
    request: CallRequest, data: EntryRequest, read_models: ReadModels, engine: EnginePort
) -> CallResult[LogEntry]:
    """Returns the bytes of one of the caller's own facts that the log's tree has as a leaf.

    A fact is sealed about a second after it is stored. A fact that names a member of staff or
    another player is refused as unknown, as are the facts of others.
    """
    if bool(data.bet) == (data.position is not None):
        raise CallRefused(Refusal.REQUEST_MALFORMED, "bet")
    field = "bet" if data.bet else "position"
    player = request.player
    found = await read_models.read_own(
        player, lambda connection: _find(connection, player, data.bet, data.position or 0)
    )
    if found is None or found.has_others:
        raise CallRefused(Refusal.FACT_UNKNOWN, field)
    if found.position > found.sealed:
        raise CallRefused(Refusal.FACT_UNSEALED, field)
    proof = None
    if found.topic == TOPICS[BetPlaced]:
        proof = await engine.proof(player, found.version)
    batch = batch_proof(proof) if proof else None
    return CallResult(LogEntry(found.position, found.entry.hex(), batch))


def _find(connection: Connection[TupleRow], player: int, bet: str, position: int) -> _Found | None:
    """Returns the player's fact; None if there is none."""
    if bet:
        if len(bet) > _MAX_ID_LENGTH or not bet.isprintable():
            return None
        row = connection.execute(_POSITION_OF_BET, (bet, player)).fetchone()
        position = row[0] if row else 0
    if not 0 < position < _MAX_NUMBER:
        return None
    row = connection.execute(_FACT, (position, player_stream(player))).fetchone()
    if row is None:
        return None
    sealed = connection.execute(SEALED_SIZE).fetchone()
    version, topic, actor, content = row
    return _Found(position, version, topic, actor, bytes(content), sealed[0] if sealed else 0)


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
    _ACCOUNT_PATH,
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

    found = await lists.encode_own(request, _ACCOUNT_PATH, data.limit, read)
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
    rows = fetch_rows(connection, _ACCOUNT_FACTS, (player_stream(player), after, size, limit))
    indices = [position - 1 for _, position, *_ in rows]
    paths = inclusion_paths(StoredTiles(connection), indices, size)
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
