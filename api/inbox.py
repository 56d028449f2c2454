"""One's messages: POST /api/user/messages and readMessage."""

import asyncio
from typing import Any, Final

import msgspec
from msgspec import Struct
from psycopg import Connection

from api.calls import Asked, Asking, Auth, Call, Use
from api.contents import words_of
from api.envelope import CallRefused, Done
from api.office_desk import reason_place
from api.texts import Texts
from api.units import At, Count, Cursor
from api.wire import money, seconds
from engine.refusals import Refusal
from engine.runtime.contents import Stored, Text
from engine.runtime.vault.reading import ReadMarks
from projections.contents import inbox
from projections.contents.inbox import Told
from projections.listing import Listing

ACCOUNT: Final = "account"
_LONGEST_ID: Final = 128
#: Notes that say why not, in the words of staff.
_REFUSALS: Final = frozenset({"deposit_rejected", "withdrawal_rejected"})


class InboxAsking(Asking):
    """`cursor` continues a list."""

    cursor: Cursor | None = None


class ReadAsking(Asking):
    """`id` is a message's; without it all of the caller's messages are meant."""

    id: str | None = None


class InboxMessage(Struct, frozen=True):
    """A message in plain text; `createtime` in seconds since 1970.

    `kind` is announcement (to everybody), message (from staff, to the caller or to everybody) or
    account (what became of the caller's deposits, withdrawals, gifts and corrections, and of a
    security code that staff took away).
    """

    id: str
    kind: str
    title: str
    content: str
    createtime: At
    read: bool


class Inbox(Struct, frozen=True):
    """Messages, newest first, and how many of all the caller's are unread."""

    messages: tuple[InboxMessage, ...]
    unread: Count


class Unread(Struct, frozen=True):
    """How many messages are unread now."""

    unread: Count


async def messages(asked: Asked[InboxAsking]) -> Done:
    """Announcements and the caller's messages, 50 a page.

    Those about the caller's account are not stored as texts: they are made, in the caller's
    language, from the read model of what was decided. Reaching a level has none yet.
    """
    marks = await _marks(asked)
    cursor = asked.body.cursor or None

    def read(connection: Connection[Any]) -> tuple[Listing[Told], int]:
        found = inbox.messages(connection, asked.player, cursor)
        return found, _unread(connection, asked.player, marks)

    try:
        found, unread = await asked.services.read_own(asked.player, read)
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None
    shown = await _shown(asked, found.items, marks)
    return Done(Inbox(shown, unread), more=found.cursor is not None, cursor=found.cursor)


async def read_message(asked: Asked[ReadAsking]) -> Done:
    """The caller has read a message, or all there are; another's message is as unknown as none."""
    services, player, wanted = asked.services, asked.player, asked.body.id
    if wanted is None:
        newest = await services.read_own(player, lambda c: inbox.newest(c, player))
        await asyncio.to_thread(services.vault.mark_all_read, player, newest)
    else:
        told = await _told(asked, wanted)
        await asyncio.to_thread(services.vault.mark_read, player, told.id, told.position)
    marks = await _marks(asked)
    return Done(Unread(await services.read(lambda c: _unread(c, player, marks))))


async def _told(asked: Asked[Any], wanted: str) -> Told:
    found = None
    if 0 < len(wanted) <= _LONGEST_ID and wanted.isprintable():
        player = asked.player
        found = await asked.services.read_own(player, lambda c: inbox.message(c, player, wanted))
    if found is None:
        raise CallRefused(Refusal.MESSAGE_UNKNOWN, "id")
    return found


async def _marks(asked: Asked[Any]) -> ReadMarks:
    return await asyncio.to_thread(asked.services.vault.read_marks, asked.player)


def _unread(connection: Connection[Any], player: int, marks: ReadMarks) -> int:
    return inbox.unread(connection, player, marks.until, marks.messages)


async def _shown(
    asked: Asked[Any], found: tuple[Told, ...], marks: ReadMarks
) -> tuple[InboxMessage, ...]:
    public = await words_of(asked.services, (it.digest for it in found if not it.player))
    private = await _private(asked, found)
    shown = []
    for it in found:
        stored = public.get(it.digest) or _decoded(private.get(it.id))
        # Staff may have written why not, and come too late: it was agreed to by then.
        refused = it.kind in _REFUSALS
        reason = private.get(reason_place(it.request), "") if refused else ""
        text = _note(it, asked.texts, reason) if it.is_note else _said(stored, asked.texts.name)
        # What staff wrote and took away for good leaves nothing to show.
        if text is not None:
            kind = ACCOUNT if it.is_note else it.kind
            read = marks.has(it.id, it.position)
            at = seconds(it.at)
            shown.append(InboxMessage(it.id, kind, text.title, text.content, at, read))
    return tuple(shown)


async def _private(asked: Asked[Any], found: tuple[Told, ...]) -> dict[str, str]:
    """What the vault has: messages to the caller, and why staff refused a request."""
    mine = [it for it in found if it.player]
    places = [reason_place(it.request) if it.is_note else it.id for it in mine]
    return await asyncio.to_thread(asked.services.vault.words, places) if places else {}


def _decoded(words: str | None) -> Stored | None:
    return msgspec.json.decode(words, type=Stored) if words is not None else None


def _said(stored: Stored | None, locale: str) -> Text | None:
    return None if stored is None else stored.text(locale)


def _note(it: Told, texts: Texts, reason: str) -> Text:
    note = texts.notes[it.kind]
    content = note.content.format(amount=f"{money(it.amount):,.2f}")
    return Text(note.title, f"{content}\n{reason}" if reason else content)


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/user/messages",
        InboxAsking,
        Inbox,
        messages,
        "The caller's messages and announcements, newest first",
        auth=Auth.PLAYER,
        use=Use.WATCHING,
    ),
    Call(
        "/api/user/readMessage",
        ReadAsking,
        Unread,
        read_message,
        "The caller has read a message, or all",
        auth=Auth.PLAYER,
        refusals=(Refusal.MESSAGE_UNKNOWN,),
    ),
)
