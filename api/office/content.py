"""Staff publish articles, announcements, banners and messages, to all players or to one."""

import asyncio
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from msgspec import Struct

from api.content.content_views import MESSAGE, LocalizedText, load_stored, validate_draft
from api.http.call_request import CallRequest, StaffRequest
from api.http.calls import staff_command, staff_query
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import At, Cursor, PlayerId, PlayerName
from api.http.refusals import CallRefused
from api.http.wire import seconds
from api.office.common import ALL_STAFF, member_of, record_position
from api.services import Services
from engine.house.published_content import KINDS, PublishContent, WithdrawContent
from engine.players.commands import SendMessage, WithdrawMessage
from engine.refusals import Refusal
from engine.runtime.content_store import ContentStore, StoredContent, Text, encode
from engine.runtime.vault import Vault
from engine.staff import roles
from projections.content import ContentRow, all_content, find_content

_MAX_ID_LENGTH: Final = 128
_HASH_LENGTH: Final = 20


class ContentRequest(StaffRequest):
    """`kind` is article, announcement, banner or message, or empty for all."""

    kind: str = ""
    cursor: Cursor | None = None


class SaveContentRequest(StaffRequest):
    """New content, or with an `id` the new version of existing content.

    `texts` are by language: tw or en, and any of the other languages. A missing language falls
    back to tw, then to en. An article has a `tab` (original, recommend or wealth), and may be a hot
    topic (`top`); its contents are HTML with few tags. A banner has an `image` under /vip/ and
    optionally a `link`, under /vip/ or with https. A message goes to all players and must have
    `everybody` true. A message to one player is another call.
    """

    kind: str
    texts: dict[str, LocalizedText]
    id: str | None = None
    tab: str = ""
    top: bool = False
    image: str = ""
    link: str = ""
    everybody: bool = False


class MessageRequest(StaffRequest):
    """A message to one player, in plain text; `texts` are by language and include tw or en."""

    player: PlayerName
    texts: dict[str, LocalizedText]


class WithdrawContentRequest(StaffRequest):
    """`id` is the content's; `erase` permanently deletes the texts of all its versions."""

    id: str
    erase: bool = False


class ContentItem(Struct, frozen=True):
    """Stored content; `createtime` and `changetime` in seconds since 1970.

    `digest` is the one in the log: the SHA-256 of the stored text, or for a message to one player a
    keyed commitment. `texts` is empty if the text was erased, and in lists for messages to one
    player (`player`, else 0), which only that player may read.
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


@staff_query("content", "List published content", roles.CONTENT_SHOWN)
async def content(
    data: ContentRequest, read_models: ReadModels, content_store: ContentStore
) -> CallResult[list[ContentItem]]:
    """Returns all content that was ever published, including withdrawn content, newest first."""
    kind, cursor = data.kind, data.cursor or None
    if kind and kind not in KINDS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "kind")
    try:
        found = await read_models.read_own(
            ALL_STAFF, lambda c: all_content(c, kind or None, cursor)
        )
    except ValueError:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "cursor") from None
    words = await load_stored(content_store, (each.digest for each in found.items))
    items = [_item(each, words.get(each.digest)) for each in found.items]
    return CallResult(items, more=found.cursor is not None, cursor=found.cursor)


@staff_command(
    "contentSave",
    "Publish or change content",
    roles.CONTENT,
    refusals=(Refusal.CONTENT_INVALID, Refusal.CONTENT_UNKNOWN),
)
async def save(
    request: CallRequest, data: SaveContentRequest, services: Services
) -> CallResult[ContentItem]:
    """Publish content, change it, or publish withdrawn content again."""
    actor, key = request.staff, request.required_key
    if data.everybody != (data.kind == MESSAGE):
        raise CallRefused(Refusal.CONTENT_INVALID, "everybody")
    name = data.id or _name(data.kind, actor, key)
    texts = _texts(data.texts)
    stored = validate_draft(
        StoredContent(name, data.kind, texts, data.tab, data.top, data.image, data.link)
    )
    published = (await services.engine.house()).contents
    if data.id is not None and data.id not in published:
        raise CallRefused(Refusal.CONTENT_UNKNOWN, "id")
    digest = await asyncio.to_thread(services.content_store.save, stored)
    command = PublishContent(name, stored.kind, digest, data.id is None, actor)
    reply = await services.commands.submit(actor, key, command)
    record_position(services.commands, ALL_STAFF, reply.position)
    return await _saved(request, services.read_models, services.clock, digest, stored)


@staff_command(
    "message",
    "Send a message to one player",
    roles.MESSAGES,
    refusals=(Refusal.CONTENT_INVALID, Refusal.PLAYER_UNKNOWN),
)
async def send(
    request: CallRequest, data: MessageRequest, services: Services
) -> CallResult[ContentItem]:
    """Send a message to one player. It cannot be changed; its text is erased with the player."""
    actor, key, vault = request.staff, request.required_key, services.vault
    stored = validate_draft(StoredContent(_name(MESSAGE, actor, key), MESSAGE, _texts(data.texts)))
    player = (await member_of(services.vault, data.player)).player
    words = encode(stored).decode()
    commitment = await asyncio.to_thread(lambda: vault.save_text(stored.id, words, player))
    command = SendMessage(player, stored.id, commitment, actor)
    reply = await services.commands.submit(actor, key, command)
    record_position(services.commands, player, reply.position)
    return await _saved(request, services.read_models, services.clock, commitment, stored, player)


@staff_command(
    "contentWithdraw", "Withdraw content", roles.CONTENT, refusals=(Refusal.CONTENT_UNKNOWN,)
)
async def withdraw(
    request: CallRequest,
    data: WithdrawContentRequest,
    read_models: ReadModels,
    commands: Commands,
    content_store: ContentStore,
) -> CallResult[ContentItem]:
    """Withdraw content: it is no longer shown, but its facts remain."""
    actor, name = request.staff, data.id
    found = await _found(read_models, name)
    if found.player:
        raise CallRefused(Refusal.CONTENT_UNKNOWN, "id")
    reply = await commands.submit(actor, request.required_key, WithdrawContent(name, actor))
    record_position(commands, ALL_STAFF, reply.position)
    if data.erase:
        await asyncio.to_thread(content_store.erase, name)
    words = await load_stored(content_store, [found.digest])
    return CallResult(_item(await _found(read_models, name), words.get(found.digest)), "set")


@staff_command(
    "messageWithdraw",
    "Withdraw a message to one player",
    roles.MESSAGES,
    refusals=(Refusal.CONTENT_UNKNOWN,),
)
async def withdraw_message(
    request: CallRequest,
    data: WithdrawContentRequest,
    vault: Vault,
    read_models: ReadModels,
    commands: Commands,
) -> CallResult[ContentItem]:
    """Withdraw a message to one player: it is no longer shown, but its facts remain."""
    actor, name = request.staff, data.id
    found = await _found(read_models, name)
    if not found.player:
        raise CallRefused(Refusal.CONTENT_UNKNOWN, "id")
    command = WithdrawMessage(found.player, name, actor)
    reply = await commands.submit(actor, request.required_key, command)
    record_position(commands, found.player, reply.position)
    if data.erase:
        await asyncio.to_thread(vault.erase_text, name)
    return CallResult(_item(await _found(read_models, name), None), "set")


def _name(kind: str, actor: str, key: str) -> str:
    """Returns an id derived from this key, which is the same for every repetition."""
    return f"{kind}-{sha256(f'{actor}/{key}'.encode()).hexdigest()[:_HASH_LENGTH]}"


def _texts(written: dict[str, LocalizedText]) -> dict[str, Text]:
    return {locale: Text(it.title, it.content) for locale, it in written.items()}


async def _saved(
    request: CallRequest,
    read_models: ReadModels,
    clock: Callable[[], int],
    digest: str,
    stored: StoredContent,
    player: int = ALL_STAFF,
) -> CallResult[ContentItem]:
    """Returns the saved content; the read model may not have applied the fact yet."""
    found, now = await _look_up(read_models, stored.id), clock()
    if found is None or found.digest != digest:
        at = found.at if found else now
        found = ContentRow(
            stored.id, player, stored.kind, digest, 0, at, now, request.staff, shown=True
        )
    return CallResult(_item(found, stored), "set")


async def _look_up(read_models: ReadModels, name: str) -> ContentRow | None:
    return await read_models.read_own(ALL_STAFF, lambda c: find_content(c, name))


async def _found(read_models: ReadModels, name: str) -> ContentRow:
    is_name = 0 < len(name) <= _MAX_ID_LENGTH and name.isprintable()
    found = await _look_up(read_models, name) if is_name else None
    if found is None:
        raise CallRefused(Refusal.CONTENT_UNKNOWN, "id")
    return found


def _item(it: ContentRow, stored: StoredContent | None) -> ContentItem:
    stored_or_empty = stored or StoredContent(it.id, it.kind, {})
    return ContentItem(
        it.id,
        it.kind,
        it.player,
        stored_or_empty.tab,
        stored_or_empty.top,
        stored_or_empty.texts,
        stored_or_empty.image,
        stored_or_empty.link,
        seconds(it.at),
        seconds(it.changed_at),
        it.changed_by,
        not it.shown,
        it.digest,
    )
