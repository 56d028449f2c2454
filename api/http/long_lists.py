"""Lists of up to 1,000 rows: made outside the event loop, and rate-limited by their rows.

Every 50 rows count as one call. The maximum is charged before the rows are read and the difference
is refunded afterwards, so that no client can have many long lists made concurrently.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from msgspec import Raw, Struct
from psycopg import Connection

from api.http.call_request import CallRequest
from api.http.envelope import CallRefused, CallResult
from api.http.transport import ADDRESS
from api.http.wire import encode
from api.services import Services
from engine.refusals import Refusal
from projections.pagination import LIMIT, CursorPage

ROWS_PER_CALL: Final = 50
FoundT = TypeVar("FoundT")
ItemT = TypeVar("ItemT")


class _Usage(Struct):
    rows: int = 0


class Encoded(Struct, frozen=True):
    """An encoded list, its number of rows, and the cursor of the next page; None at the end."""

    data: Raw
    rows: int
    cursor: str | None

    def to_result(self) -> CallResult[Any]:
        """Returns the result of the call."""
        return CallResult(self.data, more=self.cursor is not None, cursor=self.cursor)


async def read_own(
    request: CallRequest,
    services: Services,
    path: str,
    limit: int | None,
    read: Callable[[Connection[Any], int], Encoded],
) -> CallResult[Any]:
    """Returns at most `limit` of the caller's own rows, which `read` makes in another thread."""
    max_rows = _checked(limit)
    with _charged(request, services, path, max_rows) as usage:
        await services.wait_for_own_writes(request.player)
        found = await read_list(services, lambda connection: read(connection, max_rows))
        usage.rows = found.rows
    return found.to_result()


async def read_list(services: Services, read: Callable[[Connection[Any]], FoundT]) -> FoundT:
    """Returns what `read` makes in a list thread. Raises CallRefused for an invalid cursor."""

    def work() -> FoundT:
        with services.pool.connection() as connection:
            return read(connection)

    try:
        return await services.list_pool(work)
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None


def encoded(found: CursorPage[Any], items: Sequence[ItemT]) -> Encoded:
    """Encode the items of a page."""
    return Encoded(Raw(encode(items)), len(items), found.cursor)


def _checked(limit: int | None) -> int:
    if limit is None:
        return LIMIT
    if not 1 <= limit <= LIMIT:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "limit")
    return limit


@contextmanager
def _charged(
    request: CallRequest, services: Services, path: str, max_rows: int
) -> Iterator[_Usage]:
    limiter, address = services.rate_limiter, ADDRESS.get()
    token = request.token.encode("latin-1")
    # The guards have counted the call itself.
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
    """Returns how many calls these rows count as."""
    return max(1, -(-rows // ROWS_PER_CALL))
