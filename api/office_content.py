"""What staff publish: articles, announcements, banners and messages, to all or to one member."""

import asyncio
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.contents import MESSAGE, Written, drafted, words_of
from api.envelope import CallRefused, Done
from api.members import looking
from api.office_desk import EVERYBODY, key_of, member_of, note
from api.units import At, Cursor, PlayerId, PlayerName
from api.wire import seconds
from engine.house import roles
from engine.house.content_commands import PublishContent, WithdrawContent
from engine.house.contents import KINDS
from engine.players.standing_commands import SendMessage, WithdrawMessage
from engine.refusals import Refusal
from engine.runtime.contents import Stored, Text, encode
from projections.contents import queries
from projections.contents.queries import Content

_LONGEST_ID: Final = 128
_MOST_HASH: Final = 20


class ContentAsking(StaffAsking):
    """`kind` is article, announcement, banner or message, or empty for all."""

    kind: str = ""
    cursor: Cursor | None = None


class ContentSaving(StaffAsking):
    """New content, or with the `id` of old content what takes its place.

    `texts` are by language: tw or en, and any of zh, vi, ru, my, ja, ko. Whose language there is
    not reads tw, or else en. An article has a `tab` (original, recommend or wealth), and may be a
    hot topic (`top`); its contents are HTML of few tags. A banner has an `image` under /vip/ and
    maybe a `link`, under /vip/ or by https. A message goes to every member, and says so: it has
    `everybody` true. A message to one member is another call.
    """

    kind: str
    texts: dict[str, Written]
    id: str | None = None
    tab: str = ""
    top: bool = False
    image: str = ""
    link: str = ""
    everybody: bool = False


class MessageAsking(StaffAsking):
    """A message to one member, in plain text; `texts` are by language, tw or en among them."""

    player: PlayerName
    texts: dict[str, Written]


class ContentTaking(StaffAsking):
    """`id` is the content's; `erase` takes its words away for good, of all its versions."""

    id: str
    erase: bool = False


class ContentItem(Struct, frozen=True):
    """Content as it is stored; `createtime` and `changetime` in seconds since 1970.

    `digest` is what the log has: the SHA-256 of the stored words, of a message to one member a
    keyed commitment. `texts` is empty where words were erased, and in lists for messages to one
    member (`player`, else 0), which are theirs to read.
    """

    id: str
    kind: str
    player: PlayerId
    tab: str
    top: bool
    texts: dict[str, Text]
    image: str
    link: str
    createtime: At
    changetime: At
    by: str
    withdrawn: bool
    digest: str


async def content(asked: Asked[ContentAsking]) -> Done:
    """All that was ever published, withdrawn content too, newest first."""
    kind, cursor = asked.body.kind, asked.body.cursor or None
    if kind and kind not in KINDS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "kind")
    try:
        found = await asked.services.read_own(
            EVERYBODY, lambda c: queries.every(c, kind or None, cursor)
        )
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None
    words = await words_of(asked.services, (each.digest for each in found.items))
    items = [_item(each, words.get(each.digest)) for each in found.items]
    return Done(items, more=found.cursor is not None, cursor=found.cursor)


async def save(asked: Asked[ContentSaving]) -> Done:
    """Publish, change, or show again what was withdrawn."""
    actor, key, body = asked.staff, key_of(asked), asked.body
    if body.everybody != (body.kind == MESSAGE):
        raise CallRefused(Refusal.CONTENT_INVALID, "everybody")
    name = body.id or _name(body.kind, actor, key)
    texts = _texts(body.texts)
    stored = drafted(Stored(name, body.kind, texts, body.tab, body.top, body.image, body.link))
    if body.id is not None and body.id not in looking(asked.services).office.contents:
        raise CallRefused(Refusal.CONTENT_UNKNOWN, "id")
    digest = await asyncio.to_thread(asked.services.contents.keep, stored)
    command = PublishContent(name, stored.kind, digest, body.id is None, actor)
    reply = await answered(asked.services, actor, key, command)
    note(asked, EVERYBODY, reply.position)
    return await _saved(asked, digest, stored)


async def send(asked: Asked[MessageAsking]) -> Done:
    """Tell one member something; it is never changed. The words are erased with the member."""
    actor, key, vault = asked.staff, key_of(asked), asked.services.vault
    stored = drafted(Stored(_name(MESSAGE, actor, key), MESSAGE, _texts(asked.body.texts)))
    player = (await member_of(asked, asked.body.player)).player
    words = encode(stored).decode()
    commitment = await asyncio.to_thread(lambda: vault.keep_text(stored.id, words, player))
    command = SendMessage(player, stored.id, commitment, actor)
    reply = await answered(asked.services, actor, key, command)
    note(asked, player, reply.position)
    return await _saved(asked, commitment, stored, player)


async def withdraw(asked: Asked[ContentTaking]) -> Done:
    """Show content no more; the facts of it stay."""
    actor, name, services = asked.staff, asked.body.id, asked.services
    found = await _found(asked, name)
    if found.player:
        raise CallRefused(Refusal.CONTENT_UNKNOWN, "id")
    reply = await answered(services, actor, key_of(asked), WithdrawContent(name, actor))
    note(asked, EVERYBODY, reply.position)
    if asked.body.erase:
        await asyncio.to_thread(services.contents.erase, name)
    words = await words_of(services, [found.digest])
    return Done(_item(await _found(asked, name), words.get(found.digest)), "set")


async def take_back(asked: Asked[ContentTaking]) -> Done:
    """Show a member a message no more; the facts of it stay."""
    actor, name, services = asked.staff, asked.body.id, asked.services
    found = await _found(asked, name)
    if not found.player:
        raise CallRefused(Refusal.CONTENT_UNKNOWN, "id")
    command = WithdrawMessage(found.player, name, actor)
    reply = await answered(services, actor, key_of(asked), command)
    note(asked, found.player, reply.position)
    if asked.body.erase:
        await asyncio.to_thread(services.vault.erase_text, name)
    return Done(_item(await _found(asked, name), None), "set")


def _name(kind: str, actor: str, key: str) -> str:
    """An id of ours for what is published under this key: the same for every repetition."""
    return f"{kind}-{sha256(f'{actor}/{key}'.encode()).hexdigest()[:_MOST_HASH]}"


def _texts(written: dict[str, Written]) -> dict[str, Text]:
    return {locale: Text(it.title, it.content) for locale, it in written.items()}


async def _saved(asked: Asked[Any], digest: str, stored: Stored, player: int = EVERYBODY) -> Done:
    """As it stands now; the read model may not have heard of it yet."""
    found, now = await _look_up(asked, stored.id), asked.services.clock()
    if found is None or found.digest != digest:
        at = found.at if found else now
        found = Content(stored.id, player, stored.kind, digest, 0, at, now, asked.staff, shown=True)
    return Done(_item(found, stored), "set")


async def _look_up(asked: Asked[Any], name: str) -> Content | None:
    return await asked.services.read_own(EVERYBODY, lambda c: queries.content(c, name))


async def _found(asked: Asked[Any], name: str) -> Content:
    is_name = 0 < len(name) <= _LONGEST_ID and name.isprintable()
    found = await _look_up(asked, name) if is_name else None
    if found is None:
        raise CallRefused(Refusal.CONTENT_UNKNOWN, "id")
    return found


def _item(it: Content, stored: Stored | None) -> ContentItem:
    known = stored or Stored(it.id, it.kind, {})
    return ContentItem(
        it.id,
        it.kind,
        it.player,
        known.tab,
        known.top,
        known.texts,
        known.image,
        known.link,
        seconds(it.at),
        seconds(it.changed_at),
        it.changed_by,
        not it.shown,
        it.digest,
    )


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/office/content",
        ContentAsking,
        list[ContentItem],
        content,
        "What was published (staff)",
        auth=Auth.STAFF,
        roles=roles.CONTENT_SHOWN,
    ),
    Call(
        "/api/office/contentSave",
        ContentSaving,
        ContentItem,
        save,
        "Publish or change content (staff)",
        auth=Auth.STAFF,
        roles=roles.CONTENT,
        keyed=True,
        refusals=(Refusal.CONTENT_INVALID, Refusal.CONTENT_UNKNOWN),
    ),
    Call(
        "/api/office/contentWithdraw",
        ContentTaking,
        ContentItem,
        withdraw,
        "Show content no more (staff)",
        auth=Auth.STAFF,
        roles=roles.CONTENT,
        keyed=True,
        refusals=(Refusal.CONTENT_UNKNOWN,),
    ),
    Call(
        "/api/office/message",
        MessageAsking,
        ContentItem,
        send,
        "Send one member a message (staff)",
        auth=Auth.STAFF,
        roles=roles.MESSAGES,
        keyed=True,
        refusals=(Refusal.CONTENT_INVALID, Refusal.PLAYER_UNKNOWN),
    ),
    Call(
        "/api/office/messageWithdraw",
        ContentTaking,
        ContentItem,
        take_back,
        "Show a member a message no more (staff)",
        auth=Auth.STAFF,
        roles=roles.MESSAGES,
        keyed=True,
        refusals=(Refusal.CONTENT_UNKNOWN,),
    ),
)
