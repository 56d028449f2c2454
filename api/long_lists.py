"""Lists of up to a thousand rows: made away from the event loop, and paid for by their rows.

A page of 50 rows counts as one call, a longer one as so many. What may come is counted before the
rows are read, and what did not come is given back, so that nobody has many long lists made at once.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from msgspec import Raw, Struct
from psycopg import Connection

from api.calls import RequestContext
from api.envelope import CallRefused, CallResult
from api.transport import ADDRESS
from api.wire import encode
from engine.refusals import Refusal
from projections.listing import LIMIT, CursorPage

ROWS_PER_CALL: Final = 50
FoundT = TypeVar("FoundT")
ItemT = TypeVar("ItemT")


class _Usage(Struct):
    rows: int = 0


class Encoded(Struct, frozen=True):
    """A list as it is sent, with how many rows it has and what continues it."""

    data: Raw
    rows: int
    cursor: str | None

    def to_result(self) -> CallResult:
        """The call's answer."""
        return CallResult(self.data, more=self.cursor is not None, cursor=self.cursor)


async def read_own(
    ctx: RequestContext[Any],
    path: str,
    limit: int | None,
    read: Callable[[Connection[Any], int], Encoded],
) -> CallResult:
    """The caller's own rows, at most `limit` of them, as `read` makes them in another thread."""
    max_rows = _checked(limit)
    with _charged(ctx, path, max_rows) as usage:
        await ctx.services.wait_for_own_writes(ctx.player)
        found = await read_list(ctx, lambda connection: read(connection, max_rows))
        usage.rows = found.rows
    return found.to_result()


async def read_list(ctx: RequestContext[Any], read: Callable[[Connection[Any]], FoundT]) -> FoundT:
    """What `read` makes in one of the threads for lists; a cursor that is none is refused."""
    services = ctx.services

    def work() -> FoundT:
        with services.pool.connection() as connection:
            return read(connection)

    try:
        return await services.list_pool(work)
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None


def encoded(found: CursorPage[Any], items: Sequence[ItemT]) -> Encoded:
    """The items of a listing, ready to be sent."""
    return Encoded(Raw(encode(items)), len(items), found.cursor)


def _checked(limit: int | None) -> int:
    if limit is None:
        return LIMIT
    if not 1 <= limit <= LIMIT:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "limit")
    return limit


@contextmanager
def _charged(ctx: RequestContext[Any], path: str, max_rows: int) -> Iterator[_Usage]:
    limiter, address = ctx.services.rate_limiter, ADDRESS.get()
    token = ctx.token.encode("latin-1")
    # The call itself was counted before it came here.
    reserved = _calls(max_rows) - 1
    retry_after_s = limiter.retry_after_s(path, address, token, reserved) if reserved else 0
    if retry_after_s:
        raise CallRefused(Refusal.RATE_LIMITED, retry_after_s=retry_after_s)
    usage = _Usage()
    try:
        yield usage
    finally:
        limiter.refund(path, address, token, reserved - (_calls(usage.rows) - 1))


def _calls(rows: int) -> int:
    """As how many calls these rows count."""
    return max(1, -(-rows // ROWS_PER_CALL))
