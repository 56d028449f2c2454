"""Password, security code and logout: /api/user/safetyInfo, setSafety, newPass, logout.

`new_*` is the new secret, `after_*` the old one, empty when a first one is set. Secrets are not
part of the fields compared for a repeated idempotency key, and none is stored here.
"""

import asyncio
from contextlib import suppress
from typing import Final

from msgspec import Struct

from api.account.player_sync import (
    SyncedPlayer,
    refused_by_vault,
)
from api.http.call_pipeline import authenticate
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.endpoint_refusals import COMMAND_REFUSALS
from api.http.envelope import CallResult
from api.http.field_types import At, Code, Password
from api.http.refusals import CallRefused
from api.http.stream_cookie import stream_cookie
from api.http.wire import later_seconds
from api.services import Services
from engine.refusals import Refusal
from engine.runtime.vault import VaultRefused
from engine.runtime.vault.security_codes import CODE

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
    refusals=COMMAND_REFUSALS,
)
async def safety_info(request: CallRequest, services: Services) -> CallResult[SafetyInfo]:
    """Returns whether a code is set, which selects the page's mode."""
    return CallResult(_shown(await services.players.sync(request.player)))


@call(
    SET_SAFETY,
    "Set or change the security code",
    auth=Auth.PLAYER,
    idempotent=True,
    use=SessionUse.MONEY,
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
    request: CallRequest, data: SafetyRequest, services: Services
) -> CallResult[SafetyInfo]:
    """Set a first code, or change it; the response is that of safetyInfo.

    Withdrawals then wait for the cooling time. Codes that are easy to guess are refused. After ten
    wrong attempts the code is locked.
    """
    return await services.commands.run_once(
        request, SET_SAFETY, {}, lambda _: _set_code(request, data, services)
    )


async def _set_code(
    request: CallRequest, data: SafetyRequest, services: Services
) -> CallResult[SafetyInfo]:
    player = request.player
    await services.players.require_member(player)
    new, old = str(data.new_code), str(data.after_code or "")
    if len(new) > _MAX_INPUT_LENGTH or len(old) > _MAX_INPUT_LENGTH:
        raise CallRefused(Refusal.SECURITY_CODE_INVALID, "new_code")
    refused = await services.hash_pool(lambda: _save_code(request, services, old, new))
    if refused is not None:
        fields = {"code": _wrong_field(refused, new, old), "old_code": "after_code"}
        raise refused_by_vault(refused, fields)
    return CallResult(_shown(await services.players.sync_locked(player)), "set")


def _wrong_field(refused: VaultRefused, new: str, old: str) -> str:
    """Returns the wrong field: the vault refuses a code without its name, the new one first."""
    new_is_code = CODE.fullmatch(new) is not None
    of_the_old = {"security_code_wrong": True, "security_code_invalid": new_is_code}
    return "after_code" if old and of_the_old.get(refused.reason) else "new_code"


def _save_code(request: CallRequest, services: Services, old: str, new: str) -> VaultRefused | None:
    vault, player = services.vault, request.player
    if old:
        return vault.change_code(player, old, new)
    refused = vault.set_code(player, new)
    if refused is not None and refused.reason == "security_code_already_set":
        # An earlier try of this call, whose response was lost, may have set this very code.
        # Verifying it consumes an attempt.
        return refused if vault.verify_code(player, new) else None
    return refused


@call(
    NEW_PASS,
    "Change the password, ending all other sessions",
    auth=Auth.PLAYER,
    idempotent=True,
    refusals=(Refusal.PASSWORD_INVALID, Refusal.PASSWORD_WRONG, Refusal.PASSWORD_UNCHANGED),
)
async def new_pass(
    request: CallRequest, data: PasswordRequest, services: Services
) -> CallResult[None]:
    """Change the password; every other session of the player ends. The response has no data."""
    return await services.commands.run_once(
        request, NEW_PASS, {}, lambda _: _change_password(request, data, services)
    )


async def _change_password(
    request: CallRequest, data: PasswordRequest, services: Services
) -> CallResult[None]:
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
async def logout(request: CallRequest, services: Services) -> CallResult[None]:
    """End the session of the token that is sent; ending it twice is not an error."""
    token = request.token
    with suppress(CallRefused):
        player = await authenticate(services.sessions, token)
        await asyncio.to_thread(services.sessions.revoke, token)
        services.hub.subscribers.end_streams(player)
    return CallResult(None, "logged_out", cookie=stream_cookie("", 0, request.raw_headers))


def _shown(member: SyncedPlayer) -> SafetyInfo:
    usable_at = member.view.code_usable_at or 0
    return SafetyInfo(
        member.profile.code_is_set, member.profile.code_locked, later_seconds(usable_at)
    )
