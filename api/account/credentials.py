"""Password, security code and sessions: /api/user/safetyInfo, setSafety, newPass, logout.

The sessions are /api/user/sessions, endSession, and stepUp for an idle session. An id identifies a
session but does not authenticate. Ending a session ends all streams of the player; those of the
other devices reconnect by themselves (ASVS 7.4.3, 7.5.2).

`new_*` is the new secret, `after_*` the old one, empty when a first one is set. Secrets are not
part of the fields compared for a repeated idempotency key, and none is stored here.
"""

import asyncio
from contextlib import suppress
from typing import Final

from msgspec import Struct

from api.account.player_sync import PlayerRecord, Players, refused_by_vault
from api.http.call_pipeline import authenticate
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import At, Code, Password
from api.http.load_limits import HashPool
from api.http.refusals import CallRefused
from api.http.transport import stream_cookie
from api.http.wire import later_seconds, seconds
from api.realtime.hub import Hub
from api.services import Services
from engine.refusals import Refusal
from engine.runtime.vault import Vault, VaultRefused
from engine.runtime.vault.security_codes import CODE
from engine.runtime.vault.sessions import Sessions

SET_SAFETY: Final = "/api/user/setSafety"
NEW_PASS: Final = "/api/user/newPass"  # noqa: S105 - a path
_MAX_INPUT_LENGTH: Final = 64
_PASSWORD_FIELDS: Final = {"new_password": "new_pass", "old_password": "after_pass"}


class SafetyInfo(Struct, frozen=True):
    """`isTrue`: a security code is set. It confirms withdrawals from `usable_at` (seconds) on.

    A `locked` code confirms nothing until customer service has verified the owner's identity again.
    """

    isTrue: bool  # noqa: N815 - the specification's name
    locked: bool
    usable_at: At


class SafetyRequest(ApiRequest):
    """Six digits each; `after_code` is empty for a first code."""

    new_code: Code
    after_code: Code | None = None


class PasswordRequest(ApiRequest):
    """8 to 64 characters."""

    new_pass: Password
    after_pass: str


@call(
    "/api/user/safetyInfo",
    "Whether a security code is set",
    auth=Auth.PLAYER,
)
async def safety_info(request: CallRequest, players: Players) -> CallResult[SafetyInfo]:
    """Returns whether a code is set, which selects the page's mode."""
    return CallResult(_shown(await players.load(request.player)))


@call(
    SET_SAFETY,
    "Set or change the security code",
    auth=Auth.PLAYER,
    idempotent=True,
    use=SessionUse.MONEY,
    once=(),
    refusals=(
        Refusal.SECURITY_CODE_INVALID,
        Refusal.SECURITY_CODE_WEAK,
        Refusal.SECURITY_CODE_UNCHANGED,
        Refusal.SECURITY_CODE_ALREADY_SET,
        Refusal.MUST_REGISTER,
        Refusal.SECURITY_CODE_MISSING,
        Refusal.SECURITY_CODE_LOCKED,
        Refusal.SECURITY_CODE_WRONG,
    ),
)
async def set_safety(
    player: int, data: SafetyRequest, vault: Vault, hash_pool: HashPool, players: Players
) -> CallResult[SafetyInfo]:
    """Set a first code, or change it; the response is that of safetyInfo.

    Withdrawals then wait for the cooling time. Codes that are easy to guess are refused. After ten
    wrong attempts the code is locked.
    """
    await players.require_member(player)
    new, old = str(data.new_code), str(data.after_code or "")
    if len(new) > _MAX_INPUT_LENGTH or len(old) > _MAX_INPUT_LENGTH:
        raise CallRefused(Refusal.SECURITY_CODE_INVALID, "new_code")
    refused = await hash_pool(lambda: _save_code(player, vault, old, new))
    if refused is not None:
        fields = {"code": _wrong_field(refused, new, old), "old_code": "after_code"}
        raise refused_by_vault(refused, fields)
    return CallResult(_shown(await players.sync_locked(player)), "set")


def _wrong_field(refused: VaultRefused, new: str, old: str) -> str:
    """Returns the wrong field: the vault refuses a code without its name, the new one first."""
    new_is_code = CODE.fullmatch(new) is not None
    of_the_old = {
        Refusal.SECURITY_CODE_WRONG: True,
        Refusal.SECURITY_CODE_INVALID: new_is_code,
    }
    return "after_code" if old and of_the_old.get(refused.reason) else "new_code"


def _save_code(player: int, vault: Vault, old: str, new: str) -> VaultRefused | None:
    if old:
        return vault.change_code(player, old, new)
    refused = vault.set_code(player, new)
    if refused is not None and refused.reason == Refusal.SECURITY_CODE_ALREADY_SET:
        # An earlier try of this call, whose response was lost, may have set this very code.
        # Verifying it consumes an attempt.
        return refused if vault.verify_code(player, new) else None
    return refused


@call(
    NEW_PASS,
    "Change the password, ending all other sessions",
    auth=Auth.PLAYER,
    idempotent=True,
    once=(),
    refusals=(Refusal.PASSWORD_INVALID, Refusal.PASSWORD_WRONG, Refusal.PASSWORD_UNCHANGED),
)
async def new_pass(
    request: CallRequest, data: PasswordRequest, services: Services
) -> CallResult[None]:
    """Change the password; every other session of the player ends. The response has no data."""
    player, token = request.player, request.token
    old, new = data.after_pass, data.new_pass
    if len(old) > _MAX_INPUT_LENGTH:
        raise CallRefused(Refusal.PASSWORD_WRONG, "after_pass")
    refused = await services.hash_pool(
        lambda: services.vault.change_password(player, old, new, services.sessions, token)
    )
    if refused is not None:
        raise refused_by_vault(refused, _PASSWORD_FIELDS)
    services.hub.subscribers.end_streams(player)
    return CallResult(None, "set")


@call("/api/user/logout", "End this session", changes=True)
async def logout(request: CallRequest, sessions: Sessions, hub: Hub) -> CallResult[None]:
    """End the session of the token that is sent; ending it twice is not an error."""
    token = request.token
    with suppress(CallRefused):
        player = await authenticate(sessions, token)
        await asyncio.to_thread(sessions.revoke, token)
        hub.subscribers.end_streams(player)
    return CallResult(None, "logged_out", cookie=stream_cookie("", 0, request.raw_headers))


def _shown(member: PlayerRecord) -> SafetyInfo:
    usable_at = member.view.code_usable_at or 0
    return SafetyInfo(
        member.profile.code_is_set, member.profile.code_locked, later_seconds(usable_at)
    )


class EndSessionRequest(ApiRequest):
    """The session with this `id`, or with `others` all sessions but the caller's."""

    id: str = ""
    others: bool = False


class StepUpRequest(ApiRequest):
    """The password of the account."""

    password: str


class SessionView(Struct, frozen=True):
    """A session, `current` if it is the caller's; times are seconds since 1970.

    `client` is a browser and a system, such as "Chrome · Android", and empty if unknown.
    """

    id: str
    created_at: At
    active_at: At
    current: bool
    client: str


@call("/api/user/sessions", "Where the caller is signed in", auth=Auth.PLAYER)
async def list_sessions(request: CallRequest, sessions: Sessions) -> CallResult[list[SessionView]]:
    """Returns the caller's sessions, the most recently used first."""
    player, token = request.player, request.token
    found = await asyncio.to_thread(sessions.list_active, player, token)
    items = [
        SessionView(
            each.id,
            seconds(each.created_at),
            seconds(each.active_at),
            each.current,
            each.device,
        )
        for each in found
    ]
    return CallResult(items)


@call(
    "/api/user/endSession",
    "Sign out another device, or all others",
    auth=Auth.PLAYER,
    refusals=(Refusal.SESSION_UNKNOWN,),
    changes=True,
)
async def end_session(
    request: CallRequest, data: EndSessionRequest, sessions: Sessions, hub: Hub
) -> CallResult[None]:
    """End one of the caller's sessions, or all others; ending one twice is not an error."""
    player = request.player
    if data.others:
        await asyncio.to_thread(sessions.end_others, player, request.token)
    elif not await asyncio.to_thread(sessions.end, player, _session_id(data.id)):
        raise CallRefused(Refusal.SESSION_UNKNOWN, "id")
    hub.subscribers.end_streams(player)
    return CallResult(None, "session_ended")


def _session_id(typed: str) -> str:
    if not (0 < len(typed) <= _MAX_INPUT_LENGTH and typed.isprintable()):
        raise CallRefused(Refusal.SESSION_UNKNOWN, "id")
    return typed


@call(
    "/api/user/stepUp",
    "Confirm the password in a session that was idle",
    auth=Auth.PLAYER,
    refusals=(Refusal.CREDENTIALS_WRONG,),
    changes=True,
)
async def step_up(
    request: CallRequest, data: StepUpRequest, vault: Vault, sessions: Sessions, hash_pool: HashPool
) -> CallResult[None]:
    """Let an idle session move money again; wrong passwords count toward the lock, as at login."""
    player, password = request.player, data.password
    is_right = 0 < len(password) <= _MAX_INPUT_LENGTH and await hash_pool(
        lambda: vault.is_password_of(player, password)
    )
    if not is_right:
        raise CallRefused(Refusal.CREDENTIALS_WRONG, "password")
    await asyncio.to_thread(sessions.mark_step_up, request.token)
    return CallResult(None, "confirmed")
