"""What keeps an account its owner's: /api/user/safetyInfo, setSafety, newPass, logout.

`new_*` is the new secret, `after_*` the old one, empty when a first one is set. No secret is part
of what a repeated key is compared by, and none is kept here.
"""

import asyncio
from contextlib import suppress
from typing import Final

from msgspec import Struct

from api.calls import Asked, Asking, Auth, Call, Use, recognise
from api.commanding import once
from api.envelope import CallRefused, Done
from api.members import Known, full_member, known, refused_by_vault, told
from api.refusing import COMMANDING
from api.stream import stream_cookie
from api.units import At, Code, Password
from api.wire import later_seconds
from engine.refusals import Refusal
from engine.runtime.vault import VaultRefused
from engine.runtime.vault.weak_codes import CODE

SET_SAFETY: Final = "/api/user/setSafety"
NEW_PASS: Final = "/api/user/newPass"  # noqa: S105 - a path
_MOST_TYPED: Final = 64
_PASSWORD_FIELDS: Final = {"new_password": "new_pass", "old_password": "after_pass"}


class SafetyInfo(Struct, frozen=True):
    """`isTrue`: there is a security code. It confirms withdrawals from `usable_at` on, in seconds.

    A `locked` one confirms nothing until customer service has proved anew who its owner is.
    """

    isTrue: bool  # noqa: N815 - the specification's name
    locked: bool
    usable_at: At


class SafetyAsking(Asking):
    """Six digits each; `after_code` is empty for a first code."""

    new_code: Code
    after_code: Code | None = None


class PasswordAsking(Asking):
    """8 to 64 characters."""

    new_pass: Password
    after_pass: str


async def safety_info(asked: Asked[Asking]) -> Done:
    """Whether a code is set, which chooses the page's mode."""
    return Done(_shown(await known(asked.services, asked.player)))


async def set_safety(asked: Asked[SafetyAsking]) -> Done:
    """Set a first code, or change it, and answer as safetyInfo does.

    Withdrawals wait for the cooling time from then on. Codes that are easy to guess are refused,
    and after ten wrong tries the code is locked.
    """
    return await once(asked, SET_SAFETY, {}, lambda _: _set_code(asked))


async def _set_code(asked: Asked[SafetyAsking]) -> Done:
    services, player = asked.services, asked.player
    await full_member(services, player)
    new, old = str(asked.body.new_code), str(asked.body.after_code or "")
    if len(new) > _MOST_TYPED or len(old) > _MOST_TYPED:
        raise CallRefused(Refusal.SECURITY_CODE_INVALID, "new_code")
    refused = await services.hashing(lambda: _code_into_vault(asked, old, new))
    if refused is not None:
        fields = {"code": _blamed(refused, new, old), "old_code": "after_code"}
        raise refused_by_vault(refused, fields)
    return Done(_shown(await told(services, player)), "set")


def _blamed(refused: VaultRefused, new: str, old: str) -> str:
    """The vault names a code without saying which; it looks at the new one first."""
    new_is_code = CODE.fullmatch(new) is not None
    of_the_old = {"security_code_wrong": True, "security_code_invalid": new_is_code}
    return "after_code" if old and of_the_old.get(refused.reason) else "new_code"


def _code_into_vault(asked: Asked[SafetyAsking], old: str, new: str) -> VaultRefused | None:
    vault, player = asked.services.vault, asked.player
    if old:
        return vault.change_code(player, old, new)
    refused = vault.set_code(player, new)
    if refused is not None and refused.reason == "security_code_already_set":
        # Maybe by this very call, whose answer was lost: then this is the code. A try it is.
        return refused if vault.verify_code(player, new) else None
    return refused


async def new_pass(asked: Asked[PasswordAsking]) -> Done:
    """Change the password; every other session of the member ends. The answer has no data."""
    return await once(asked, NEW_PASS, {}, lambda _: _change_password(asked))


async def _change_password(asked: Asked[PasswordAsking]) -> Done:
    services, player, token = asked.services, asked.player, asked.token
    old, new = asked.body.after_pass, asked.body.new_pass
    if len(old) > _MOST_TYPED:
        raise CallRefused(Refusal.PASSWORD_WRONG, "after_pass")
    refused = await services.hashing(
        lambda: services.vault.change_password(player, old, new, services.sessions, token)
    )
    if refused is not None:
        raise refused_by_vault(refused, _PASSWORD_FIELDS)
    services.hub.listeners.end_of(player)
    return Done(None, "set")


async def logout(asked: Asked[Asking]) -> Done:
    """End the session of the token that is sent; to end it twice is no mistake."""
    services, token = asked.services, asked.token
    with suppress(CallRefused):
        player = await recognise(services, token)
        await asyncio.to_thread(services.sessions.revoke, token)
        services.hub.listeners.end_of(player)
    return Done(None, "logged_out", cookie=stream_cookie("", 0, asked.headers))


def _shown(member: Known) -> SafetyInfo:
    usable_at = member.player.code_usable_at or 0
    return SafetyInfo(member.given.code_is_set, member.given.code_locked, later_seconds(usable_at))


CALLS: Final = (
    Call(
        "/api/user/safetyInfo",
        Asking,
        SafetyInfo,
        safety_info,
        "Whether a security code is set",
        auth=Auth.PLAYER,
        refusals=COMMANDING,
    ),
    Call(
        SET_SAFETY,
        SafetyAsking,
        SafetyInfo,
        set_safety,
        "Set or change the security code",
        auth=Auth.PLAYER,
        keyed=True,
        use=Use.MONEY,
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
    ),
    Call(
        NEW_PASS,
        PasswordAsking,
        None,
        new_pass,
        "Change the password, ending all other sessions",
        auth=Auth.PLAYER,
        keyed=True,
        refusals=(Refusal.PASSWORD_INVALID, Refusal.PASSWORD_WRONG, Refusal.PASSWORD_UNCHANGED),
    ),
    Call("/api/user/logout", Asking, None, logout, "End this session", changes=True),
)
