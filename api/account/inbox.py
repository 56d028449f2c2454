"""The player's inbox: POST /api/user/messages and readMessage."""

import asyncio
from typing import Any, Final

import msgspec
from msgspec import Struct
from psycopg import Connection

from api.content.content_views import load_stored
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import At, Count, Cursor
from api.http.localization import Translations
from api.http.refusals import CallRefused
from api.http.wire import money, seconds
from api.office.common import reason_text_id
from engine.refusals import Refusal
from engine.runtime.content_store import ContentStore, StoredContent, Text
from engine.runtime.vault import Vault
from engine.runtime.vault.private_texts import ReadMarks
from projections import content
from projections.content import InboxRow
from projections.pagination import CursorPage

ACCOUNT: Final = "account"
_MAX_ID_LENGTH: Final = 128
#: Notifications that include the reason that staff wrote.
_REFUSALS: Final = frozenset({"deposit_rejected", "withdrawal_rejected"})
_decode_content: Final = msgspec.json.Decoder(StoredContent).decode


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


@call(
    "/api/user/messages",
    "The caller's messages and announcements, newest first",
    auth=Auth.PLAYER,
    use=SessionUse.WATCHING,
)
async def messages(
    request: CallRequest,
    data: InboxRequest,
    vault: Vault,
    read_models: ReadModels,
    content_store: ContentStore,
) -> CallResult[Inbox]:
    """Returns announcements and the caller's messages, 50 per page.

    Messages about the caller's account are not stored as texts: they are generated in the caller's
    language from the read model of decisions. Reaching a level has no message yet.
    """
    marks = await _marks(request, vault)
    cursor = data.cursor or None

    def read(connection: Connection[Any]) -> tuple[CursorPage[InboxRow], int]:
        found = content.messages(connection, request.player, cursor)
        return found, _unread(connection, request.player, marks)

    try:
        found, unread = await read_models.read_own(request.player, read)
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None
    shown = await _inbox_messages(request, vault, content_store, found.items, marks)
    return CallResult(Inbox(shown, unread), more=found.cursor is not None, cursor=found.cursor)


@call(
    "/api/user/readMessage",
    "The caller has read a message, or all",
    auth=Auth.PLAYER,
    refusals=(Refusal.MESSAGE_UNKNOWN,),
)
async def read_message(
    request: CallRequest, data: ReadRequest, vault: Vault, read_models: ReadModels
) -> CallResult[Unread]:
    """Mark a message, or all, as read; another player's message is refused as unknown."""
    player, message_id = request.player, data.id
    if message_id is None:
        newest = await read_models.read_own(player, lambda c: content.newest_message(c, player))
        await asyncio.to_thread(vault.mark_all_read, player, newest)
    else:
        row = await _find_row(request, read_models, message_id)
        await asyncio.to_thread(vault.mark_read, player, row.id, row.position)
    marks = await _marks(request, vault)
    return CallResult(Unread(await read_models.read(lambda c: _unread(c, player, marks))))


async def _find_row(request: CallRequest, read_models: ReadModels, message_id: str) -> InboxRow:
    found = None
    if 0 < len(message_id) <= _MAX_ID_LENGTH and message_id.isprintable():
        player = request.player
        found = await read_models.read_own(player, lambda c: content.message(c, player, message_id))
    if found is None:
        raise CallRefused(Refusal.MESSAGE_UNKNOWN, "id")
    return found


async def _marks(request: CallRequest, vault: Vault) -> ReadMarks:
    return await asyncio.to_thread(vault.read_marks, request.player)


def _unread(connection: Connection[Any], player: int, marks: ReadMarks) -> int:
    return content.unread_messages(connection, player, marks.until, marks.messages)


async def _inbox_messages(
    request: CallRequest,
    vault: Vault,
    content_store: ContentStore,
    found: tuple[InboxRow, ...],
    marks: ReadMarks,
) -> tuple[InboxMessage, ...]:
    public = await load_stored(content_store, (it.digest for it in found if not it.player))
    private = await _private(vault, found)
    shown = []
    for it in found:
        stored = public.get(it.digest) or _decoded(private.get(it.id))
        # A reason can exist for a request that was approved: the rejection came too late.
        refused = it.kind in _REFUSALS
        reason = private.get(reason_text_id(it.request), "") if refused else ""
        text = (
            _notification(it, request.texts, reason)
            if it.is_notification
            else _localized(stored, request.texts.name)
        )
        # A message that staff permanently erased has no text to show.
        if text is not None:
            kind = ACCOUNT if it.is_notification else it.kind
            read = marks.has(it.id, it.position)
            at = seconds(it.at)
            shown.append(InboxMessage(it.id, kind, text.title, text.content, at, read))
    return tuple(shown)


async def _private(vault: Vault, found: tuple[InboxRow, ...]) -> dict[str, str]:
    """Returns the vault's texts: messages to the caller, and staff's reasons for refusals."""
    own = [it for it in found if it.player]
    places = [reason_text_id(it.request) if it.is_notification else it.id for it in own]
    return await asyncio.to_thread(vault.texts, places) if places else {}


def _decoded(words: str | None) -> StoredContent | None:
    return _decode_content(words) if words is not None else None


def _localized(stored: StoredContent | None, locale: str) -> Text | None:
    return None if stored is None else stored.text(locale)


def _notification(it: InboxRow, texts: Translations, reason: str) -> Text:
    notification = texts.notes[it.kind]
    content = notification.content.format(amount=f"{money(it.amount):,.2f}")
    return Text(notification.title, f"{content}\n{reason}" if reason else content)
