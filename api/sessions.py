"""Where one is signed in: /api/user/sessions, endSession, and stepUp for a session long idle.

Ids name sessions and open none. Ending one ends its streams; those of the member's other devices
come back by themselves (ASVS 7.4.3, 7.5.2).
"""

import asyncio
from typing import Final

from msgspec import Struct

from api.calls import Asked, Asking, Auth, Call
from api.envelope import CallRefused, Done
from api.units import At
from api.wire import seconds
from engine.refusals import Refusal

_MOST_TYPED: Final = 64


class EndAsking(Asking):
    """The session with this `id`, or all `others` but the one that asks."""

    id: str = ""
    others: bool = False


class StepUpAsking(Asking):
    """The password of the account."""

    password: str


class SessionShown(Struct, frozen=True):
    """A session, `current` if it is the one that asks; times are seconds since 1970.

    `client` is a browser and a system, "Chrome · Android", and empty where they are not known.
    """

    id: str
    created_at: At
    active_at: At
    current: bool
    client: str


async def show(asked: Asked[Asking]) -> Done:
    """The caller's sessions, the one used last first."""
    sessions, player, token = asked.services.sessions, asked.player, asked.token
    found = await asyncio.to_thread(sessions.open_ones, player, token)
    items = [
        SessionShown(
            each.id,
            seconds(each.created_at),
            seconds(each.active_at),
            each.current,
            each.device,
        )
        for each in found
    ]
    return Done(items)


async def end(asked: Asked[EndAsking]) -> Done:
    """End sessions of the caller's own; to end one twice is no mistake."""
    services, player, body = asked.services, asked.player, asked.body
    if body.others:
        await asyncio.to_thread(services.sessions.end_others, player, asked.token)
    elif not await asyncio.to_thread(services.sessions.end, player, _id(body.id)):
        raise CallRefused(Refusal.SESSION_UNKNOWN, "id")
    services.hub.listeners.end_of(player)
    return Done(None, "session_ended")


def _id(typed: str) -> str:
    if not (0 < len(typed) <= _MOST_TYPED and typed.isprintable()):
        raise CallRefused(Refusal.SESSION_UNKNOWN, "id")
    return typed


async def step_up(asked: Asked[StepUpAsking]) -> Done:
    """Have a session that was idle move money again; wrong passwords lock as at signing in."""
    services, player, password = asked.services, asked.player, asked.body.password
    is_right = 0 < len(password) <= _MOST_TYPED and await services.hashing(
        lambda: services.vault.is_password_of(player, password)
    )
    if not is_right:
        raise CallRefused(Refusal.CREDENTIALS_WRONG, "password")
    await asyncio.to_thread(services.sessions.freshen, asked.token)
    return Done(None, "confirmed")


CALLS: Final = (
    Call(
        "/api/user/sessions",
        Asking,
        list[SessionShown],
        show,
        "Where the caller is signed in",
        auth=Auth.PLAYER,
    ),
    Call(
        "/api/user/endSession",
        EndAsking,
        None,
        end,
        "Sign out another device, or all others",
        auth=Auth.PLAYER,
        refusals=(Refusal.SESSION_UNKNOWN,),
    ),
    Call(
        "/api/user/stepUp",
        StepUpAsking,
        None,
        step_up,
        "Confirm the password in a session that was idle",
        auth=Auth.PLAYER,
        refusals=(Refusal.CREDENTIALS_WRONG,),
    ),
)
