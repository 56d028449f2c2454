"""What anyone may verify: days and rounds, and the log's public tree with its proofs (/api/fair/).

The checkpoint and the tiles have the formats of C2SP tlog-tiles. The proofs are computed from the
tiles, for clients that do not read tiles. The entries themselves are not public, because they have
players' data: a player gets their own (log_entries.py).
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import msgspec
from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.game import proofs
from api.game.proofs import DrawProof, SignedDay
from api.http.field_types import Count, GameId, Issue, Position
from api.http.middleware.security_headers import LOG as PREFIX
from api.http.openapi.components import Schema, ref
from api.http.openapi.document import JSON, ExtraPath, query_of, undecided
from api.http.refusals import CallRefused
from api.http.transport import method_of
from api.http.transport import query_of as sent_query
from api.http.wire import converter, encode
from api.services import Services
from engine.fairness.tiles import HASH_BYTES, WIDTH, consistency_path, inclusion_path
from engine.refusals import Refusal
from engine.runtime.log.sealer import PUBLISHED_NOTE, SEALED_SIZE, TILE_HASHES, StoredTiles

_CHECKPOINT: Final = "checkpoint"
_DAY: Final = "day"
_ROUND: Final = "round"
_INCLUSION: Final = "proof/inclusion"
_CONSISTENCY: Final = "proof/consistency"
_TILE: Final = re.compile(
    r"tile/([0-9]|[1-5][0-9]|6[0-3])/((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?"
)
_COSIGNED_US: Final = 5_000_000
_FOR_EVER: Final = b"public, max-age=31536000, immutable"
_A_DAY: Final = b"public, max-age=86400"
_MOMENT: Final = b"public, max-age=1"
_Found = tuple[bytes, bytes, bytes]
"""The body, its content type, and how long it may be cached."""
_QueryT = TypeVar("_QueryT")
_Query = Callable[[Connection[TupleRow]], _Found | None]


class DayQuery(Struct, frozen=True):
    """A game's day, such as 2026-11-21, or a segment of it, such as 2026-11-21/1."""

    game_id: GameId
    day: str


class RoundQuery(Struct, frozen=True):
    """A game's round by its public number."""

    game_id: GameId
    issue: Issue


class InclusionQuery(Struct, frozen=True):
    """The fact at `position`, in the tree over the first `size` facts."""

    position: Position
    size: Count


class InclusionProof(Struct, frozen=True):
    """The path in hex from a fact's leaf, whose index is `position - 1`, to a tree's root."""

    position: Position
    size: Count
    path: tuple[str, ...]


class ConsistencyQuery(Struct, frozen=True):
    """The trees over the first `old` and the first `new` facts."""

    old: Count
    new: Count


class ConsistencyProof(Struct, frozen=True):
    """The hashes in hex which show that the tree over `new` facts continues that over `old`.

    Empty if both are the same size.
    """

    old: Count
    new: Count
    path: tuple[str, ...]


_read_day_query: Final = converter(DayQuery, strict=False)
_read_round_query: Final = converter(RoundQuery, strict=False)
_read_inclusion_query: Final = converter(InclusionQuery, strict=False)
_read_consistency_query: Final = converter(ConsistencyQuery, strict=False)


def route(services: Services) -> ASGIRouteHandler:
    """Returns the route of the checkpoint, the tiles and the proofs."""

    @asgi(PREFIX.rstrip("/"), is_mount=True, copy_scope=False)
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI gives all three
        query, found = None, None
        if method_of(scope) == "GET":
            path, own = scope["path"].strip("/"), services.settings.own_witnesses
            query = query_for(path, sent_query(scope), services.clock(), own)
        if query is not None:
            found = await services.read_models.read(query)
        if found is None:
            raise CallRefused(Refusal.ROUTE_UNKNOWN)
        content, kind, cache = found
        headers = [(b"content-type", kind), (b"cache-control", cache)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content, "more_body": False})

    return answer


def query_for(
    path: str, sent: dict[str, str], now: int, own_witnesses: frozenset[str]
) -> _Query | None:
    """Returns what reads the answer to a path below the prefix; None if there is no such path.

    `sent` is the query string, `now` the time in microseconds. The reader returns None if there is
    no answer. `own_witnesses` are those of the house's own machine, by their keys in hex.
    """
    if path == _DAY:
        return _json_query(_read_day_query, sent, _day)
    if path == _ROUND:
        return _json_query(_read_round_query, sent, partial(_round, own_witnesses))
    if path == _CHECKPOINT:
        return lambda connection: _checkpoint(connection, now)
    if path == _INCLUSION:
        return _json_query(_read_inclusion_query, sent, _inclusion)
    if path == _CONSISTENCY:
        return _json_query(_read_consistency_query, sent, _consistency)
    named = _TILE.fullmatch(path)
    if named is None:
        return None
    level, number = int(named[1]), int(re.sub("[x/]", "", named[2]))
    width = int(named[3]) if named[3] else WIDTH
    if named[3] and width >= WIDTH:
        return None
    return lambda connection: _tile(connection, level, number, width)


def published_note(connection: Connection[TupleRow], now: int) -> str | None:
    """Returns the checkpoint to show at `now`; None before the first.

    One that was cosigned in the last five seconds is preferred to a newer one.
    """
    row = connection.execute(PUBLISHED_NOTE, (now - _COSIGNED_US,)).fetchone()
    return None if row is None else str(row[0])


def _checkpoint(connection: Connection[TupleRow], now: int) -> _Found | None:
    note = published_note(connection, now)
    return None if note is None else (note.encode(), b"text/plain; charset=utf-8", _MOMENT)


def _tile(connection: Connection[TupleRow], level: int, number: int, width: int) -> _Found | None:
    row = connection.execute(TILE_HASHES, (level, number)).fetchone()
    if row is None or len(row[0]) < width * HASH_BYTES:
        return None
    return bytes(row[0])[: width * HASH_BYTES], b"application/octet-stream", _FOR_EVER


def _json_query(
    read_sent: Callable[[object], _QueryT],
    sent: dict[str, str],
    answer: Callable[[Connection[TupleRow], _QueryT], tuple[Struct | None, bytes]],
) -> _Query | None:
    """Returns what reads an answer; None if the query string does not name one.

    `answer` returns it, or None, and how long it may be cached.
    """
    try:
        asked = read_sent(sent)
    except msgspec.ValidationError:
        return None

    def read(connection: Connection[TupleRow]) -> _Found | None:
        try:
            found, cache = answer(connection, asked)
        except (IndexError, KeyError):  # outside the sealed tree
            return None
        return None if found is None else (encode(found), JSON.encode(), cache)

    return read


def _day(connection: Connection[TupleRow], asked: DayQuery) -> tuple[SignedDay | None, bytes]:
    return proofs.day_of(connection, asked.game_id, asked.day), _A_DAY


def _round(
    own_witnesses: frozenset[str], connection: Connection[TupleRow], asked: RoundQuery
) -> tuple[DrawProof | None, bytes]:
    found = proofs.proof_of(connection, asked.game_id, str(asked.issue), own_witnesses)
    is_final = found is not None and proofs.is_final(found)
    return found, _A_DAY if is_final else _MOMENT


def _inclusion(
    connection: Connection[TupleRow], asked: InclusionQuery
) -> tuple[InclusionProof, bytes]:
    check_sealed(connection, asked.size)
    path = inclusion_path(StoredTiles(connection), asked.position - 1, asked.size)
    return InclusionProof(asked.position, asked.size, _hex(path)), _FOR_EVER


def _consistency(
    connection: Connection[TupleRow], asked: ConsistencyQuery
) -> tuple[ConsistencyProof, bytes]:
    check_sealed(connection, asked.new)
    path = consistency_path(StoredTiles(connection), asked.old, asked.new)
    return ConsistencyProof(asked.old, asked.new, _hex(path)), _FOR_EVER


def check_sealed(connection: Connection[TupleRow], size: int) -> None:
    """Raises IndexError for a tree larger than the newest checkpoint's."""
    row = connection.execute(SEALED_SIZE).fetchone()
    if row is None or size > row[0]:
        raise IndexError(size)


def _hex(path: list[bytes]) -> tuple[str, ...]:
    return tuple(each.hex() for each in path)


def _operation(name: str, summary: str, content: Schema, parameters: list[Schema]) -> Schema:
    return {
        "operationId": name,
        "tags": ["fair"],
        "summary": summary,
        "security": [],
        "parameters": parameters,
        "responses": {
            "200": {"description": summary, "content": content},
            "404": undecided(404, (Refusal.ROUTE_UNKNOWN,)),
        },
    }


def _day_operation(components: dict[str, Schema]) -> Schema:
    content = {JSON: {"schema": ref(SignedDay.__name__)}}
    parameters = query_of(components[DayQuery.__name__])
    summary = "What both parties signed before the first sale of a day"
    return _operation("fairDay", summary, content, parameters)


def _round_operation(components: dict[str, Schema]) -> Schema:
    content = {JSON: {"schema": ref(DrawProof.__name__)}}
    parameters = query_of(components[RoundQuery.__name__])
    return _operation("fairRound", "The public proof of a draw", content, parameters)


def _checkpoint_operation(_: dict[str, Schema]) -> Schema:
    content = {"text/plain": {"schema": {"type": "string"}}}
    return _operation("fairCheckpoint", "The log's newest checkpoint: a signed note", content, [])


def _tile_operation(_: dict[str, Schema]) -> Schema:
    binary = {"type": "string", "contentMediaType": "application/octet-stream"}
    content = {"application/octet-stream": {"schema": binary}}
    tile = {
        "name": "tile",
        "in": "path",
        "required": True,
        "description": "Level and number as C2SP tlog-tiles writes them, such as 0/x001/234.p/5",
        "schema": {"type": "string"},
    }
    return _operation("fairTile", "Hashes of the log's Merkle tree", content, [tile])


def _inclusion_operation(components: dict[str, Schema]) -> Schema:
    content = {JSON: {"schema": ref(InclusionProof.__name__)}}
    parameters = query_of(components[InclusionQuery.__name__])
    summary = "The path from a fact's leaf to the root of a tree"
    return _operation("fairInclusion", summary, content, parameters)


def _consistency_operation(components: dict[str, Schema]) -> Schema:
    content = {JSON: {"schema": ref(ConsistencyProof.__name__)}}
    parameters = query_of(components[ConsistencyQuery.__name__])
    summary = "The proof that one tree continues another"
    return _operation("fairConsistency", summary, content, parameters)


DESCRIBED: Final = (
    ExtraPath(PREFIX + _DAY, _day_operation, (DayQuery,), (SignedDay,)),
    ExtraPath(PREFIX + _ROUND, _round_operation, (RoundQuery,), (DrawProof,)),
    ExtraPath(f"{PREFIX}{_CHECKPOINT}", _checkpoint_operation),
    ExtraPath(f"{PREFIX}tile/{{tile}}", _tile_operation),
    ExtraPath(PREFIX + _INCLUSION, _inclusion_operation, (InclusionQuery,), (InclusionProof,)),
    ExtraPath(
        PREFIX + _CONSISTENCY, _consistency_operation, (ConsistencyQuery,), (ConsistencyProof,)
    ),
)
