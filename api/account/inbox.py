"""The player's inbox: POST /api/user/messages and readMessage."""

import asyncio
from typing import Any, Final

import msgspec
from msgspec import Struct
from psycopg import Connection

from api.content.content_views import load_stored
from api.http.endpoints import ApiRequest, Auth, Endpoint, RequestContext, SessionUse
from api.http.envelope import CallRefused, CallResult
from api.http.field_types import At, Count, Cursor
from api.http.localization import Translations
from api.http.wire import money, seconds
from api.office.common import reason_text_id
from engine.refusals import Refusal
from engine.runtime.content_store import StoredContent, Text
from engine.runtime.vault.private_texts import ReadMarks
from projections.content import inbox
from projections.content.inbox import InboxRow
from projections.pagination import CursorPage

ACCOUNT: Final = "account"
_MAX_ID_LENGTH: Final = 128
#: Notifications that include the reason that staff wrote.
_REFUSALS: Final = frozenset({"deposit_rejected", "withdrawal_rejected"})


class InboxRequest(ApiRequest):
    """`cursor` continues a list."""

    cursor: Cursor | None = None


class ReadRequest(ApiRequest):
    """`id` is a message's; without it all of the caller's messages are marked as read."""

    id: str | None = None


class InboxMessage(Struct, frozen=True):
    """A message in plain text; `createtime` is in seconds since 1970.

    `kind` is announcement (to all players), message (from staff, to the caller or to all players)
    or account (results of the caller's deposits, withdrawals, gifts and corrections, and the
    removal of a security code by staff).
    """

    id: str
    kind: str
    title: str
    content: str
    createtime: At
    read: bool


class Inbox(Struct, frozen=True):
    """Messages, newest first, and how many of all the caller's messages are unread."""

    messages: tuple[InboxMessage, ...]
    unread: Count


class Unread(Struct, frozen=True):
    """How many messages are unread now."""

    unread: Count


async def messages(ctx: RequestContext[InboxRequest]) -> CallResult:
    """Returns announcements and the caller's messages, 50 per page.

    Messages about the caller's account are not stored as texts: they are generated in the caller's
    language from the read model of decisions. Reaching a level has no message yet.
    """
    marks = await _marks(ctx)
    cursor = ctx.body.cursor or None

    def read(connection: Connection[Any]) -> tuple[CursorPage[InboxRow], int]:
        found = inbox.messages(connection, ctx.player, cursor)
        return found, _unread(connection, ctx.player, marks)

    try:
        found, unread = await ctx.services.read_own(ctx.player, read)
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None
    shown = await _inbox_messages(ctx, found.items, marks)
    return CallResult(Inbox(shown, unread), more=found.cursor is not None, cursor=found.cursor)


async def read_message(ctx: RequestContext[ReadRequest]) -> CallResult:
    """Mark a message, or all, as read; another player's message is refused as unknown."""
    services, player, message_id = ctx.services, ctx.player, ctx.body.id
    if message_id is None:
        newest = await services.read_own(player, lambda c: inbox.newest(c, player))
        await asyncio.to_thread(services.vault.mark_all_read, player, newest)
    else:
        row = await _find_row(ctx, message_id)
        await asyncio.to_thread(services.vault.mark_read, player, row.id, row.position)
    marks = await _marks(ctx)
    return CallResult(Unread(await services.read(lambda c: _unread(c, player, marks))))


async def _find_row(ctx: RequestContext[Any], message_id: str) -> InboxRow:
    found = None
    if 0 < len(message_id) <= _MAX_ID_LENGTH and message_id.isprintable():
        player = ctx.player
        found = await ctx.services.read_own(player, lambda c: inbox.message(c, player, message_id))
    if found is None:
        raise CallRefused(Refusal.MESSAGE_UNKNOWN, "id")
    return found


async def _marks(ctx: RequestContext[Any]) -> ReadMarks:
    return await asyncio.to_thread(ctx.services.vault.read_marks, ctx.player)


def _unread(connection: Connection[Any], player: int, marks: ReadMarks) -> int:
    return inbox.unread(connection, player, marks.until, marks.messages)


async def _inbox_messages(
    ctx: RequestContext[Any], found: tuple[InboxRow, ...], marks: ReadMarks
) -> tuple[InboxMessage, ...]:
    public = await load_stored(ctx.services, (it.digest for it in found if not it.player))
    private = await _private(ctx, found)
    shown = []
    for it in found:
        stored = public.get(it.digest) or _decoded(private.get(it.id))
        # A reason can exist for a request that was approved: the rejection came too late.
        refused = it.kind in _REFUSALS
        reason = private.get(reason_text_id(it.request), "") if refused else ""
        text = (
            _notification(it, ctx.texts, reason)
            if it.is_notification
            else _localized(stored, ctx.texts.name)
        )
        # A message that staff permanently erased has no text to show.
        if text is not None:
            kind = ACCOUNT if it.is_notification else it.kind
            read = marks.has(it.id, it.position)
            at = seconds(it.at)
            shown.append(InboxMessage(it.id, kind, text.title, text.content, at, read))
    return tuple(shown)


async def _private(ctx: RequestContext[Any], found: tuple[InboxRow, ...]) -> dict[str, str]:
    """Returns the vault's texts: messages to the caller, and staff's reasons for refusals."""
    own = [it for it in found if it.player]
    places = [reason_text_id(it.request) if it.is_notification else it.id for it in own]
    return await asyncio.to_thread(ctx.services.vault.texts, places) if places else {}


def _decoded(words: str | None) -> StoredContent | None:
    return msgspec.json.decode(words, type=StoredContent) if words is not None else None


def _localized(stored: StoredContent | None, locale: str) -> Text | None:
    return None if stored is None else stored.text(locale)


def _notification(it: InboxRow, texts: Translations, reason: str) -> Text:
    notification = texts.notes[it.kind]
    content = notification.content.format(amount=f"{money(it.amount):,.2f}")
    return Text(notification.title, f"{content}\n{reason}" if reason else content)


CALLS: Final[tuple[Endpoint[Any], ...]] = (
    Endpoint(
        "/api/user/messages",
        InboxRequest,
        Inbox,
        messages,
        "The caller's messages and announcements, newest first",
        auth=Auth.PLAYER,
        use=SessionUse.WATCHING,
    ),
    Endpoint(
        "/api/user/readMessage",
        ReadRequest,
        Unread,
        read_message,
        "The caller has read a message, or all",
        auth=Auth.PLAYER,
        refusals=(Refusal.MESSAGE_UNKNOWN,),
    ),
)
