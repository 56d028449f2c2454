"""Registration, login and guest upgrade: /api/user/register, login, join."""

import asyncio
import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from api.account.player_sync import refused_by_vault
from api.http.call_request import ApiRequest, Auth, CallRequest
from api.http.calls import call
from api.http.commands import Commands
from api.http.envelope import CallResult
from api.http.field_types import Group, Inviter, Money, Password, PlayerId, UserName
from api.http.refusals import COMMAND_REFUSALS, CallRefused
from api.http.transport import stream_cookie
from api.http.wire import SECOND_US, money
from api.ops import request_log
from api.services import Services
from api.settings import Settings
from engine.answers import PlayerAccepted
from engine.cashier.commands import ApproveDeposit
from engine.players.commands import GUEST, MEMBER, RegisterPlayer
from engine.refusals import Refusal
from engine.runtime.vault import (
    PlayerIdentity,
    RegistrationRefused,
    RegistrationRequest,
    VaultRefused,
)
from engine.runtime.vault.sessions import LIFETIME_US

REGISTER: Final = "/api/user/register"
JOIN: Final = "/api/user/join"
_USERNAME: Final = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9])[A-Za-z0-9]{6,16}")
_GUEST_NAME: Final = re.compile(r"visitor[0-9]{1,20}")
_PLAYER_ID: Final = re.compile(r"[0-9]{1,18}")
_PASSWORD_LENGTHS: Final = {MEMBER: range(8, 65), GUEST: range(6, 65)}
_MAX_INPUT_LENGTH: Final = 64
# The first match wins: most browsers also claim to be another one.
_BROWSERS: Final = (
    (b"MicroMessenger", "WeChat"),
    (b"Edg", "Edge"),
    (b"OPR/", "Opera"),
    (b"SamsungBrowser", "Samsung Internet"),
    (b"UCBrowser", "UC Browser"),
    (b"Firefox", "Firefox"),
    (b"FxiOS", "Firefox"),
    (b"CriOS", "Chrome"),
    (b"Chrome", "Chrome"),
    (b"Safari", "Safari"),
)
_SYSTEMS: Final = (
    (b"iPhone", "iPhone"),
    (b"iPad", "iPad"),
    (b"Android", "Android"),
    (b"Windows", "Windows"),
    (b"Macintosh", "Mac"),
    (b"CrOS", "ChromeOS"),
    (b"Linux", "Linux"),
)
_SEPARATOR: Final = " · "


class RegisterRequest(ApiRequest):
    """`group_id` is 1 for a member and 2 for a guest; `inviter_id` is a player's id, or empty."""

    username: str
    password: str
    group_id: Group = MEMBER
    inviter_id: Inviter | None = None


class LoginRequest(ApiRequest):
    """`account` is the user name."""

    account: str
    password: str


class JoinRequest(ApiRequest):
    """A guest's credentials as a full member; `inviter_id` is a player's id, or empty."""

    username: UserName
    password: Password
    inviter_id: Inviter | None = None


class UserInfo(Struct, frozen=True):
    """A session and its owner; `money` is the available balance."""

    user_id: PlayerId
    id: PlayerId
    token: str
    money: Money
    group_id: Group
    username: str


class SignedIn(Struct, frozen=True):
    """The response of register, login and join."""

    userinfo: UserInfo


@call(
    REGISTER,
    "Register and sign in",
    idempotent=True,
    refusals=(
        Refusal.USERNAME_INVALID,
        Refusal.PASSWORD_INVALID,
        Refusal.GROUP_UNKNOWN,
        Refusal.INVITER_UNKNOWN,
        Refusal.USERNAME_TAKEN,
    ),
)
async def register(
    request: CallRequest, data: RegisterRequest, services: Services
) -> CallResult[SignedIn]:
    """Register, once per idempotency key, and sign in: the response is that of login.

    A member (group 1) needs a unique name and a password of at least 8 characters. A guest (group
    2) gets a generated name if the one sent is not a visitor name, and can only browse until they
    join. In demo mode a member starts with play money.
    """
    async with services.commands.once.key(request, REGISTER) as key:
        registration = _registration_request(data, services.clock, key)
        services.players.check_leading()
        member = await services.hash_pool(lambda: services.vault.register(registration))
        if isinstance(member, RegistrationRefused):
            raise CallRefused(member.refusal, member.field)
        return await _signed_in(request, services, member, "registered")


@call(
    "/api/user/login",
    "Sign in",
    changes=True,
    refusals=(*COMMAND_REFUSALS, Refusal.CREDENTIALS_WRONG),
)
async def login(
    request: CallRequest, data: LoginRequest, services: Services
) -> CallResult[SignedIn]:
    """Open a session, whose token is sent as the header `token` with all other calls.

    If a crash interrupted the registration, login completes it. A wrong name, a wrong password and
    a name that is locked after too many attempts get the same response.
    """
    name, password = data.account, data.password
    member = None
    is_name = 0 < len(name) <= _MAX_INPUT_LENGTH and name.isprintable()
    if is_name and 0 < len(password) <= _MAX_INPUT_LENGTH:
        member = await services.hash_pool(lambda: services.vault.log_in(name, password))
    if member is None:
        raise CallRefused(Refusal.CREDENTIALS_WRONG)
    return await _signed_in(request, services, member, "logged_in")


@call(
    JOIN,
    "Upgrade a guest to a full member, who keeps account and balance",
    auth=Auth.PLAYER,
    idempotent=True,
    refusals=(
        Refusal.USERNAME_INVALID,
        Refusal.PASSWORD_INVALID,
        Refusal.INVITER_UNKNOWN,
        Refusal.USERNAME_TAKEN,
        Refusal.ALREADY_MEMBER,
    ),
)
async def upgrade_guest(
    request: CallRequest, data: JoinRequest, services: Services
) -> CallResult[SignedIn]:
    """Turn the guest into a full member with a new name; id, history and session stay."""
    request_fields = {
        "username": data.username.lower(),
        "inviter_id": str(data.inviter_id or "").strip(),
    }
    return await services.commands.once.run_once(
        request,
        JOIN,
        request_fields,
        lambda key: _upgrade_guest(request, data, services, key),
    )


async def _upgrade_guest(
    request: CallRequest, data: JoinRequest, services: Services, key: str
) -> CallResult[SignedIn]:
    player = request.player
    _check_rules(data.username, data.password, MEMBER)
    inviter = _inviter(data.inviter_id)
    if inviter is not None:
        invites = await asyncio.to_thread(services.vault.identity, inviter)
        if invites is None or inviter == player:
            raise CallRefused(Refusal.INVITER_UNKNOWN, "inviter_id")
    services.players.check_leading()
    registration = RegistrationRequest(data.username.lower(), data.password, MEMBER, inviter, key)
    member = await services.hash_pool(lambda: services.vault.upgrade_guest(player, registration))
    if isinstance(member, VaultRefused):
        raise refused_by_vault(member, {})
    services.nicknames.put(player, member.nickname)
    await services.players.sync_locked(player)
    if services.settings.gift_minor:
        await _credit_demo_gift(services.settings, services.commands, player)
    view = await services.players.view(player)
    return CallResult(
        SignedIn(_user_info(member, request.token, view.available_minor)), "registered"
    )


async def _credit_demo_gift(settings: Settings, commands: Commands, player: int) -> None:
    """Credit the demo money, which a member who registers directly gets with the registration."""
    gift = f"demo-{player}"
    command = ApproveDeposit(player, gift, "demo", settings.gift_minor, "")
    reply = await commands.submit("staff:demo", gift, command)
    commands.last_seen.record(player, reply.position)


def _registration_request(
    data: RegisterRequest, clock: Callable[[], int], key: str
) -> RegistrationRequest:
    """Returns the checked registration; a guest may get another visitor name if theirs is taken."""
    is_guest = data.group_id == GUEST
    if is_guest:
        username = data.username
        if not _GUEST_NAME.fullmatch(username):
            username = f"visitor{clock() // SECOND_US}"
    else:
        username = data.username
    _check_rules(None if is_guest else username, data.password, data.group_id)
    inviter = None if is_guest else _inviter(data.inviter_id)
    return RegistrationRequest(
        username.lower(), data.password, data.group_id, inviter, key, may_rename=is_guest
    )


def _check_rules(username: str | None, password: str, group: int) -> None:
    if username is not None and not _USERNAME.fullmatch(username):
        raise CallRefused(Refusal.USERNAME_INVALID, "username")
    if group not in _PASSWORD_LENGTHS:
        raise CallRefused(Refusal.GROUP_UNKNOWN, "group_id")
    if len(password) not in _PASSWORD_LENGTHS[group]:
        raise CallRefused(Refusal.PASSWORD_INVALID, "password")


def _inviter(code: str | int | None) -> int | None:
    """Returns the inviter's player id, which is their invitation code; None for an empty code."""
    words = "" if code is None else str(code).strip()
    if not words:
        return None
    if not _PLAYER_ID.fullmatch(words):
        raise CallRefused(Refusal.INVITER_UNKNOWN, "inviter_id")
    return int(words)


async def register_with_engine(
    services: Services, member: PlayerIdentity, *, bot: bool = False
) -> PlayerAccepted:
    """Register the vault's player with the engine; repeating it changes nothing."""
    gift = services.settings.gift_minor if member.group == MEMBER and not bot else 0
    command = RegisterPlayer(
        member.player, member.group, member.inviter, member.name_commitment, bot, gift
    )
    reply = await services.commands.submit("registration", None, command)
    assert isinstance(reply.answer, PlayerAccepted)
    services.commands.last_seen.record(member.player, reply.position)
    return reply.answer


async def _signed_in(
    request: CallRequest, services: Services, member: PlayerIdentity, success: str
) -> CallResult[SignedIn]:
    request_log.record_login(member.player)
    player = await register_with_engine(services, member)
    if success == "logged_in":
        await services.players.sync(member.player)
    device = device_of(request.raw_headers.get(b"user-agent", b""))
    token = await asyncio.to_thread(lambda: services.sessions.open(member.player, device))
    info = _user_info(member, token, player.available_minor)
    return CallResult(
        SignedIn(info),
        success,
        cookie=stream_cookie(token, LIFETIME_US // SECOND_US, request.raw_headers),
    )


def _user_info(member: PlayerIdentity, token: str, available_minor: int) -> UserInfo:
    player = member.player
    return UserInfo(player, player, token, money(available_minor), member.group, member.username)


def device_of(user_agent: bytes) -> str:
    """Returns a label such as "Chrome · Android", so that players recognise their own devices.

    It is empty if neither part is known. A full user agent is not kept, because it can identify a
    single phone.
    """
    found = (_first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent))
    return _SEPARATOR.join(part for part in found if part)


def _first(patterns: tuple[tuple[bytes, str], ...], user_agent: bytes) -> str:
    return next((name for word, name in patterns if word in user_agent), "")
