"""Grants the overnight bonus for the day that has ended to every player with turnover.

The players come from read models, once these have all facts of that day. The engine decides from
the log whether and how much each gets, once per player and day. Therefore the job can run twice, or
stop at any point.
"""

import asyncio
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

import structlog

from api.http.refusals import CallRefused
from api.services import Services
from api.settings import Settings
from engine.cashier.commands import GrantOvernight
from engine.schedule import calendar_day
from projections import profiles
from projections.house_settings import current_settings

_PAUSE_S: Final = 60.0
_READ: Final = frozenset({"accounts", "standings"})
"""The read models with the turnover of each day, and with the terms."""
_log = structlog.get_logger()


async def run(services: Services) -> None:
    """Check every minute whether a day has ended, until cancelled."""
    done = ""
    while True:
        day = _yesterday(services.settings, services.clock)
        if day != done and services.engine.ready:
            try:
                if await is_complete(services, day):
                    await grant(services, day)
                    done = day
                else:
                    _log.warning("the overnight bonus waits for the read models", day=day)
            except Exception:  # noqa: BLE001 - whatever failed, the next minute tries again
                _log.exception("overnight bonus failed", day=day)
        await asyncio.sleep(_PAUSE_S)


async def is_complete(services: Services, day: str) -> bool:
    """Whether the read models have all facts of a day (yyyy-mm-dd)."""
    models = await asyncio.to_thread(services.models)
    lag_us = max(each.lag_ms for each in models if each.name in _READ) * 1_000
    return calendar_day(services.settings.timezone, services.clock() - lag_us) > day


async def grant(services: Services, day: str) -> int:
    """Grant the bonus for a day (yyyy-mm-dd) that has ended. Returns the number of candidates."""
    with_turnover = await asyncio.to_thread(_players, services, day)
    for player in with_turnover:
        try:
            # No idempotency key: the engine grants it only once, and must not store "not yet".
            reply = await services.commands.submit("house", None, GrantOvernight(player, day))
        except CallRefused as refusal:
            _log.warning("no overnight bonus", player=player, refusal=refusal.refused.refusal)
        else:
            services.commands.last_seen.record(player, reply.position)
    return len(with_turnover)


def _players(services: Services, day: str) -> list[int]:
    """Returns the players with turnover on this day; none if the house grants no such bonus."""
    with services.pool.connection() as connection:
        if not current_settings(connection).terms.overnight:
            return []
        return profiles.with_turnover(connection, day)


def _yesterday(settings: Settings, clock: Callable[[], int]) -> str:
    today = date.fromisoformat(calendar_day(settings.timezone, clock()))
    return str(today - timedelta(days=1))
