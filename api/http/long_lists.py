"""Lists of up to 1,000 rows: made outside the event loop, and rate-limited by their rows.

Every 50 rows count as one call. The maximum is charged before the rows are read and the difference
is refunded afterwards, so that no client can have many long lists made concurrently.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from msgspec import Raw, Struct
from psycopg import Connection

from api.http.call_request import CallRequest
from api.http.db_pool import Pool
from api.http.envelope import CallResult
from api.http.middleware.rate_limiter import RateLimiter
from api.http.refusals import CallRefused
from api.http.transport import ADDRESS
from api.http.wire import encode
from engine.refusals import Refusal
from engine.runtime import supervision
from projections.pagination import LIMIT, CursorPage

THREADS: Final = 2
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


class ListReader:
    """Reads and encodes lists in a few threads, which leave the event loop enough processor time.

    Further work is queued while all of them are busy.
    """

    def __init__(
        self, pool: Pool, limiter: RateLimiter, own_writes: Callable[[int], Awaitable[None]]
    ) -> None:
        """`own_writes` waits until the read models have applied a player's last command."""
        self._pool = pool
        self._limiter = limiter
        self._own_writes = own_writes
        self._threads = supervision.workers(THREADS, "lists")

    async def read_own(
        self,
        request: CallRequest,
        path: str,
        limit: int | None,
        read: Callable[[Connection[Any], int], Encoded],
    ) -> CallResult[Any]:
        """Returns at most `limit` of the caller's own rows, which `read` makes in a list thread."""
        return (await self.encode_own(request, path, limit, read)).to_result()

    async def encode_own(
        self,
        request: CallRequest,
        path: str,
        limit: int | None,
        read: Callable[[Connection[Any], int], Encoded],
    ) -> Encoded:
        """The same as encoded rows, for a call that is continued without a cursor."""
        max_rows = _checked(limit)
        with self._charged(request, path, max_rows) as usage:
            await self._own_writes(request.player)
            found = await self.read(lambda connection: read(connection, max_rows))
            usage.rows = found.rows
        return found

    async def read(self, read: Callable[[Connection[Any]], FoundT]) -> FoundT:
        """Returns what `read` makes in a list thread. Raises CallRefused for an invalid cursor."""

        def work() -> FoundT:
            with self._pool.connection() as connection:
                return read(connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except ValueError:
            raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None

    @contextmanager
    def _charged(self, request: CallRequest, path: str, max_rows: int) -> Iterator[_Usage]:
        address, token = ADDRESS.get(), request.token.encode("latin-1")
        # The checks before routing have counted the call itself.
        reserved = _calls(max_rows) - 1
        retry_after_s = 0
        if reserved:
            retry_after_s = self._limiter.retry_after_s(path, address, token, reserved)
        if retry_after_s:
            raise CallRefused(Refusal.RATE_LIMITED, retry_after_s=retry_after_s)
        usage = _Usage()
        try:
            yield usage
        finally:
            self._limiter.refund(path, address, token, reserved - (_calls(usage.rows) - 1))

    def close(self) -> None:
        """Stop the threads; queued work is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def encoded(found: CursorPage[Any], items: Sequence[ItemT]) -> Encoded:
    """Encode the items of a page."""
    return Encoded(Raw(encode(items)), len(items), found.cursor)


def _checked(limit: int | None) -> int:
    if limit is None:
        return LIMIT
    if not 1 <= limit <= LIMIT:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "limit")
    return limit


def _calls(rows: int) -> int:
    """Returns how many calls these rows count as."""
    return max(1, -(-rows // ROWS_PER_CALL))
