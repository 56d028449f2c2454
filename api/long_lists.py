"""Lists of up to a thousand rows: made away from the event loop, and paid for by their rows.

A page of 50 rows counts as one call, a longer one as so many. What may come is counted before the
rows are read, and what did not come is given back, so that nobody has many long lists made at once.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from msgspec import Raw, Struct
from psycopg import Connection

from api.calls import Asked
from api.envelope import CallRefused, Done
from api.transport import ADDRESS
from api.wire import encode
from engine.refusals import Refusal
from projections.listing import LIMIT, Listing

ROWS_A_CALL: Final = 50
FoundT = TypeVar("FoundT")
ItemT = TypeVar("ItemT")


class _Paid(Struct):
    rows: int = 0


class Encoded(Struct, frozen=True):
    """A list as it is sent, with how many rows it has and what continues it."""

    data: Raw
    rows: int
    cursor: str | None

    def done(self) -> Done:
        """The call's answer."""
        return Done(self.data, more=self.cursor is not None, cursor=self.cursor)


async def read_own(
    asked: Asked[Any],
    path: str,
    limit: int | None,
    read: Callable[[Connection[Any], int], Encoded],
) -> Done:
    """The caller's own rows, at most `limit` of them, as `read` makes them in another thread."""
    most = _checked(limit)
    with _paying(asked, path, most) as paid:
        await asked.services.reach_own(asked.player)
        found = await read_list(asked, lambda connection: read(connection, most))
        paid.rows = found.rows
    return found.done()


async def read_list(asked: Asked[Any], read: Callable[[Connection[Any]], FoundT]) -> FoundT:
    """What `read` makes in one of the threads for lists; a cursor that is none is refused."""
    services = asked.services

    def work() -> FoundT:
        with services.pool.connection() as connection:
            return read(connection)

    try:
        return await services.lists(work)
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None


def encoded(found: Listing[Any], items: Sequence[ItemT]) -> Encoded:
    """The items of a listing, ready to be sent."""
    return Encoded(Raw(encode(items)), len(items), found.cursor)


def _checked(limit: int | None) -> int:
    if limit is None:
        return LIMIT
    if not 1 <= limit <= LIMIT:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "limit")
    return limit


@contextmanager
def _paying(asked: Asked[Any], path: str, most: int) -> Iterator[_Paid]:
    limits, address = asked.services.limits, ADDRESS.get()
    token = asked.token.encode("latin-1")
    # The call itself was counted before it came here.
    reserved = _calls(most) - 1
    wait_s = limits.wait_s(path, address, token, reserved) if reserved else 0
    if wait_s:
        raise CallRefused(Refusal.RATE_LIMITED, retry_after_s=wait_s)
    paid = _Paid()
    try:
        yield paid
    finally:
        limits.give_back(path, address, token, reserved - (_calls(paid.rows) - 1))


def _calls(rows: int) -> int:
    """As how many calls these rows count."""
    return max(1, -(-rows // ROWS_A_CALL))
