"""Registering, signing in, and who one is: /api/user/register, login, userInfo."""

import asyncio
import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from msgspec import Struct

from api.calls import Asked, Asking, Auth, Call
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.services import Services
from api.transport import Headers
from api.wire import SECOND_US, money
from engine.answers import PlayerAccepted
from engine.players.commands import GUEST, MEMBER, RegisterPlayer
from engine.refusals import Refusal
from engine.runtime.sessions import LIFETIME_US
from engine.runtime.vault import Application, Member, NotEnrolled
from engine.schedule import calendar_day
from projections.accounts import queries as accounts

_USERNAME: Final = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9])[A-Za-z0-9]{6,16}")
_GUEST_NAME: Final = re.compile(r"visitor[0-9]{1,20}")
_PLAYER_ID: Final = re.compile(r"[0-9]{1,18}")
_PASSWORD_LENGTHS: Final = {MEMBER: range(8, 65), GUEST: range(6, 65)}
_MOST_TYPED: Final = 64


class RegisterAsking(Asking):
    """`group_id` is 1 for a member and 2 for a guest; `inviter_id` a player's id, or empty."""

    username: str
    password: str
    group_id: int = MEMBER
    inviter_id: str | int | None = None


class LoginAsking(Asking):
    """`account` is the user name."""

    account: str
    password: str


class UserInfo(Struct, frozen=True):
    """A session and its owner; `money` is what may be used."""

    user_id: int
    id: int
    token: str
    money: Decimal
    group_id: int
    username: str


class SignedIn(Struct, frozen=True):
    """What register and login answer with."""

    userinfo: UserInfo


class Profile(Struct, frozen=True):
    """The member's own page; `profit` is yesterday's."""

    username: str
    nickname: str
    today_profit: Decimal
    money: Decimal
    profit: Decimal
    total_assets: Decimal
    score: Decimal
    incode: str
    group_id: int
    idcard: str | None
    user_id: int
    version: int


async def register(asked: Asked[RegisterAsking]) -> Done:
    """Join, once for each key, and be signed in."""
    application = _application(asked)
    member = await asked.services.hashing(lambda: asked.services.vault.enrol(application))
    if isinstance(member, NotEnrolled):
        raise CallRefused(member.refusal, member.field)
    return await _signed_in(asked, member, "registered")


async def login(asked: Asked[LoginAsking]) -> Done:
    """Sign in; what a crash left undone when registering is done now."""
    name, password = asked.body.account, asked.body.password
    member = None
    if 0 < len(name) <= _MOST_TYPED and 0 < len(password) <= _MOST_TYPED:
        member = await asked.services.hashing(lambda: asked.services.vault.log_in(name, password))
    if member is None:
        raise CallRefused(Refusal.CREDENTIALS_WRONG)
    return await _signed_in(asked, member, "logged_in")


async def user_info(asked: Asked[Asking]) -> Done:
    """The profile, under `msg` as the specification has it and under `data` as well."""
    services, player = asked.services, asked.player
    member = await asyncio.to_thread(lambda: services.vault.member(player))
    today = date.fromisoformat(calendar_day(services.settings.timezone, services.clock()))
    days = (str(today), str(today - timedelta(days=1)))
    account, profits = await services.read_own(
        player, lambda c: (accounts.account(c, player), accounts.profits(c, player, days))
    )
    if member is None or account is None:
        # Whoever has a session is a member: the read models are behind.
        raise CallRefused(Refusal.UNAVAILABLE)
    profile = Profile(
        username=member.username,
        nickname=member.nickname,
        today_profit=money(profits[days[0]]),
        money=money(account.available),
        profit=money(profits[days[1]]),
        total_assets=money(account.total),
        score=money(account.bonus),
        incode=str(player),
        group_id=member.group,
        idcard=None,
        user_id=player,
        version=account.version,
    )
    return Done(profile, message=profile)


def _application(asked: Asked[RegisterAsking]) -> Application:
    """What is asked for, once it obeys the rules; a guest may have any visitor's name."""
    body = asked.body
    is_guest = body.group_id == GUEST
    if is_guest:
        username = body.username
        if not _GUEST_NAME.fullmatch(username):
            username = f"visitor{asked.services.clock() // SECOND_US}"
    elif _USERNAME.fullmatch(body.username):
        username = body.username
    else:
        raise CallRefused(Refusal.USERNAME_INVALID, "username")
    if body.group_id not in _PASSWORD_LENGTHS:
        raise CallRefused(Refusal.GROUP_UNKNOWN, "group_id")
    if len(body.password) not in _PASSWORD_LENGTHS[body.group_id]:
        raise CallRefused(Refusal.PASSWORD_INVALID, "password")
    inviter = None if is_guest else _inviter(body.inviter_id)
    return Application(
        username.lower(), body.password, body.group_id, inviter, asked.key, may_rename=is_guest
    )


def _inviter(code: str | int | None) -> int | None:
    """The inviter's player id, which is their invitation code."""
    words = "" if code is None else str(code).strip()
    if not words:
        return None
    if not _PLAYER_ID.fullmatch(words):
        raise CallRefused(Refusal.INVITER_UNKNOWN, "inviter_id")
    return int(words)


async def join(services: Services, member: Member, *, bot: bool = False) -> PlayerAccepted:
    """Make the member a player of the engine, or find that they are one already."""
    gift = services.settings.gift_minor if member.group == MEMBER and not bot else 0
    command = RegisterPlayer(
        member.player, member.group, member.inviter, member.name_commitment, bot, gift
    )
    reply = await answered(services, "registration", None, command)
    assert isinstance(reply.answer, PlayerAccepted)
    services.seen.note(member.player, reply.position)
    return reply.answer


async def _signed_in(asked: Asked[Any], member: Member, success: str) -> Done:
    services = asked.services
    player = await join(services, member)
    token = await asyncio.to_thread(lambda: services.sessions.open(member.player))
    info = UserInfo(
        member.player,
        member.player,
        token,
        money(player.available_minor),
        member.group,
        member.username,
    )
    return Done(SignedIn(info), success, cookie=_stream_cookie(token, asked.headers))


def _stream_cookie(token: str, headers: Headers) -> str:
    """Lets the browser's event stream in, and nothing else; scripts cannot read it."""
    secure = "; Secure" if headers.get(b"x-forwarded-proto") == b"https" else ""
    return (
        f"fairdraw_stream={token}; Path=/api/Lottery/stream; Max-Age={LIFETIME_US // SECOND_US};"
        f" HttpOnly; SameSite=Strict{secure}"
    )


CALLS: Final = (
    Call(
        "/api/user/register",
        RegisterAsking,
        SignedIn,
        register,
        "Register and sign in",
        keyed=True,
    ),
    Call("/api/user/login", LoginAsking, SignedIn, login, "Sign in"),
    Call(
        "/api/user/userInfo",
        Asking,
        Profile,
        user_info,
        "The caller's profile, also under msg",
        auth=Auth.PLAYER,
    ),
)
