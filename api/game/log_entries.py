"""A player's own facts as the log's tree has them: /api/fair/entry.

The tree is public, its entries are not. With the bytes of an entry a player computes its leaf, and
checks that the leaf is in the tree of the public checkpoint.
"""

from typing import Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.game.receipts import BatchProof, batch_proof
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import Position
from api.http.middleware.security_headers import LOG
from api.http.refusals import CallRefused
from engine.bets.facts import BetPlaced
from engine.facts import TOPICS, TYPES, player_stream
from engine.refusals import Refusal
from engine.runtime.log.sealer import ENTRY, SEALED_SIZE
from engine.runtime.port import EnginePort
from engine.staff.roles import actor_of

_MAX_ID_LENGTH: Final = 64
_MAX_POSITION: Final = 1 << 62
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
    if not 0 < position < _MAX_POSITION:
        return None
    row = connection.execute(_FACT, (position, player_stream(player))).fetchone()
    if row is None:
        return None
    sealed = connection.execute(SEALED_SIZE).fetchone()
    version, topic, actor, content = row
    return _Found(position, version, topic, actor, bytes(content), sealed[0] if sealed else 0)
