"""Player protection: limits, time-out, self-exclusion and reality check, and turnover progress.

A stricter setting takes effect immediately, a looser one after the waiting time. Withdrawals stay
open under every protection (GLI-19 A.3.7, A.3.8; RTS 12, 13B).
"""

from collections.abc import Callable, Mapping
from typing import Final

from litestar.handlers import HTTPRouteHandler
from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.account.player_sync import LEVELS, Players
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import Handler, call
from api.http.commands import Commands
from api.http.envelope import CallResult
from api.http.field_types import Amount, At, Days, Hours, Level, Minutes, Money, Version
from api.http.refusals import CallRefused
from api.http.wire import NotMoneyError, later_seconds, money, typed_minor_units
from api.services import Services
from engine.answers import MoneyAnswered, StandingChanged
from engine.cashier.commands import ReleaseBonus
from engine.players.commands import (
    DEPOSIT,
    MIN_EXCLUSION_US,
    PERIOD_TOLERANCE_US,
    SPANS,
    SUBJECTS,
    ExcludeSelf,
    ProfileCommand,
    ReleaseQuota,
    ReserveQuota,
    SetLimit,
    SetRealityCheck,
    TakeTimeOut,
)
from engine.refusals import Refusal
from engine.runtime.writer.engine_reader import PlayerView
from engine.runtime.writer.reply import Reply
from engine.schedule import calendar_day
from projections import accounts, profiles
from projections.accounts import Account
from projections.profiles import FOR_GOOD, LimitRow, PeriodTotalsRow, ProfileView

HOUR_US: Final = 3_600 * 1_000_000
DAY_US: Final = 24 * HOUR_US
_MAX_DAYS: Final = 100_000

PROTECTION: Final = "/api/user/protection"
SET_LIMIT: Final = "/api/user/setLimit"
TIME_OUT: Final = "/api/user/timeOut"
EXCLUDE: Final = "/api/user/exclude"
REALITY_CHECK: Final = "/api/user/realityCheck"
RESERVE_QUOTA: Final = "/api/user/reserveQuota"
RELEASE_QUOTA: Final = "/api/user/releaseQuota"
RELEASE_BONUS: Final = "/api/user/releaseBonus"


class LimitRequest(ApiRequest):
    """`subject` is deposit or loss, `span` day, week or month; no `amount` removes the limit."""

    subject: str
    span: str
    amount: Amount = None


class TimeOutRequest(ApiRequest):
    """How many hours from now, 1 to 1,008 (six weeks)."""

    hours: Hours


class ExclusionRequest(ApiRequest):
    """How many days from now, at least 180; without `days` the exclusion is permanent."""

    days: Days | None = None


class IntervalRequest(ApiRequest):
    """The reminder interval in minutes; 0 is never."""

    minutes: Minutes


class LimitView(Struct, frozen=True):
    """A limit in u: `amount` applies now, `next_amount` from `next_from` (seconds) on.

    Null is no limit. `used` is the span's total so far, including pending deposits and open stakes;
    `left` is what the limit still allows.
    """

    subject: str
    span: str
    amount: Money | None
    used: Money
    left: Money | None
    next_amount: Money | None
    next_from: At


class TurnoverProgress(Struct, frozen=True):
    """Turnover in u: `due` before a withdrawal, `bonus_due` before bonus money is released.

    `done` is the account's total since registration, `next_level_at` the total that reaches the
    next level, null at the highest. `quota_level` is the reserved level, 0 for none, and
    `quota_until` (seconds) the end of the reservation.
    """

    due: Money
    done: Money
    level: str
    next_level_at: Money | None
    bonus: Money
    bonus_due: Money
    bonus_from: At
    quota_level: Level
    quota_until: At


class Protection(Struct, frozen=True):
    """All protection settings and the progress; times are seconds since 1970, 0 for none."""

    limits: tuple[LimitView, ...]
    time_out_until: At
    excluded_until: At
    excluded_for_good: bool
    reality_check_minutes: Minutes
    closed: bool
    progress: TurnoverProgress


class EffectiveFrom(Struct, frozen=True):
    """When the setting takes effect, in seconds since 1970."""

    holds_from: At


class BonusReleaseResult(Struct, frozen=True):
    """The released `quantity`, and the caller's balance after the release."""

    quantity: Money
    money: Money
    score: Money
    balance_version: Version


def _setting(
    path: str, summary: str, refusals: tuple[Refusal, ...] = ()
) -> Callable[[Handler], HTTPRouteHandler]:
    """A call that changes one of the caller's own settings."""
    return call(path, summary, auth=Auth.PLAYER, idempotent=True, refusals=refusals)


@call(PROTECTION, "The caller's limits, exclusions and turnover progress", auth=Auth.PLAYER)
async def protection(request: CallRequest, services: Services) -> CallResult[Protection]:
    """Returns the caller's protection settings and turnover progress."""
    player = request.player
    now = services.clock()
    day = calendar_day(services.settings.timezone, now)

    def read(
        c: Connection[TupleRow],
    ) -> tuple[ProfileView | None, tuple[LimitRow, ...], PeriodTotalsRow]:
        return (
            profiles.profile(c, player),
            profiles.limits(c, player),
            profiles.period_totals(c, player, day),
        )

    standing, limits, flows = await services.read_models.read_own(player, read)
    account = await services.read_models.read_own(player, lambda c: accounts.account(c, player))
    view = await services.players.view(player)
    if standing is None or account is None:
        raise CallRefused(Refusal.UNAVAILABLE)
    for_good = standing.excluded_until >= FOR_GOOD
    return CallResult(
        Protection(
            _limits(limits, flows, account, view, now),
            _coming(standing.time_out_until, now),
            0 if for_good else _coming(standing.excluded_until, now),
            for_good,
            standing.reality_check_minutes,
            standing.closed,
            _progress(view, now),
        )
    )


def _limits(
    limits: tuple[LimitRow, ...],
    flows: PeriodTotalsRow,
    account: Account,
    view: PlayerView,
    now: int,
) -> tuple[LimitView, ...]:
    """Returns all six, also those without a limit, to show what was used before one is set."""
    found = {(each.subject, each.span): each for each in limits}
    return tuple(
        _limit(
            subject,
            span,
            found.get((subject, span)),
            _used(subject, span, flows, account, view),
            now,
        )
        for subject in SUBJECTS
        for span in SPANS
    )


def _used(
    subject: str, span: str, flows: PeriodTotalsRow, account: Account, view: PlayerView
) -> int:
    if subject == DEPOSIT:
        deposited: int = getattr(flows.deposited, span)
        return deposited + view.pending_deposits_minor
    net: int = getattr(flows.net, span)
    return account.staked - net


def _limit(subject: str, span: str, limit: LimitRow | None, used: int, now: int) -> LimitView:
    maximum = limit.at(now) if limit else None
    waits = limit is not None and now < limit.from_at
    return LimitView(
        subject,
        span,
        None if maximum is None else money(maximum),
        money(used),
        None if maximum is None else money(max(0, maximum - used)),
        money(limit.amount) if limit and waits and limit.amount is not None else None,
        later_seconds(limit.from_at) if limit and waits else 0,
    )


def _progress(view: PlayerView, now: int) -> TurnoverProgress:
    level, until, _ = view.quota or (0, 0, 0)
    return TurnoverProgress(
        money(view.due_minor),
        money(view.turnover_minor),
        LEVELS[min(view.level, len(LEVELS) - 1)],
        None if view.next_minor is None else money(view.next_minor),
        money(view.bonus_minor),
        money(view.bonus_due_minor),
        _coming(view.bonus_from, now),
        level,
        later_seconds(until),
    )


def _coming(at: int, now: int) -> int:
    return later_seconds(at) if at > now else 0


@_setting(
    SET_LIMIT,
    "Set a deposit or loss limit",
    refusals=(Refusal.MUST_REGISTER, Refusal.AMOUNT_INVALID, Refusal.LIMIT_UNKNOWN),
)
async def set_limit(
    request: CallRequest, data: LimitRequest, commands: Commands
) -> CallResult[EffectiveFrom]:
    """Set or remove a limit: a lower one applies immediately, a higher one or none after a wait."""
    try:
        amount = (
            None if data.amount is None or data.amount == "" else typed_minor_units(data.amount)
        )
    except NotMoneyError:
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount") from None
    return await _set(
        request, commands, SET_LIMIT, SetLimit(request.player, data.subject, data.span, amount)
    )


@_setting(
    TIME_OUT,
    "Take a time-out from bets and deposits",
    refusals=(Refusal.MUST_REGISTER, Refusal.PERIOD_INVALID, Refusal.PERIOD_SHORTENED),
)
async def time_out(
    request: CallRequest, data: TimeOutRequest, clock: Callable[[], int], commands: Commands
) -> CallResult[EffectiveFrom]:
    """Block bets and deposits for some hours, starting immediately."""
    if abs(data.hours) > _MAX_DAYS:
        raise CallRefused(Refusal.PERIOD_INVALID, "hours")
    until = clock() + data.hours * HOUR_US
    request_fields = {"hours": data.hours}
    return await _set_until(
        request, commands, TIME_OUT, request_fields, TakeTimeOut(request.player, until)
    )


@_setting(
    EXCLUDE,
    "Self-exclude from bets and deposits",
    refusals=(Refusal.MUST_REGISTER, Refusal.PERIOD_INVALID, Refusal.PERIOD_SHORTENED),
)
async def exclude(
    request: CallRequest,
    data: ExclusionRequest,
    clock: Callable[[], int],
    commands: Commands,
    players: Players,
) -> CallResult[EffectiveFrom]:
    """Block bets and deposits immediately, also in accounts that give the same identity later."""
    days = data.days
    if days is not None and abs(days) > _MAX_DAYS:
        raise CallRefused(Refusal.PERIOD_INVALID, "days")
    exclusion = ExcludeSelf(request.player, _end(clock, days))
    excluded = await _set_until(request, commands, EXCLUDE, {"days": days}, exclusion)
    await players.propagate_exclusion(request.player)
    return excluded


def _end(clock: Callable[[], int], days: int | None) -> int | None:
    """Returns the end of an exclusion of `days`; None for a permanent one.

    The engine counts from its decision, which is later: the shortest one must not be too short.
    """
    if days is None:
        return None
    span = days * DAY_US
    margin = PERIOD_TOLERANCE_US if span == MIN_EXCLUSION_US else 0
    return clock() + span + margin


@_setting(
    REALITY_CHECK,
    "Set the reality check",
    refusals=(Refusal.MUST_REGISTER, Refusal.INTERVAL_INVALID),
)
async def reality_check(
    request: CallRequest, data: IntervalRequest, commands: Commands
) -> CallResult[EffectiveFrom]:
    """Set how often the player is reminded of how long they have played."""
    return await _set(
        request, commands, REALITY_CHECK, SetRealityCheck(request.player, data.minutes)
    )


@_setting(
    RESERVE_QUOTA,
    "Reserve the next level",
    refusals=(Refusal.MUST_REGISTER, Refusal.QUOTA_UNAVAILABLE),
)
async def reserve_quota(request: CallRequest, commands: Commands) -> CallResult[EffectiveFrom]:
    """Reserve the next level until its turnover is completed; withdrawals are closed meanwhile."""
    return await _set(request, commands, RESERVE_QUOTA, ReserveQuota(request.player))


@_setting(RELEASE_QUOTA, "Give the reservation up")
async def release_quota(request: CallRequest, commands: Commands) -> CallResult[EffectiveFrom]:
    """Release the reservation; withdrawals are open again immediately."""
    return await _set(request, commands, RELEASE_QUOTA, ReleaseQuota(request.player))


@call(
    RELEASE_BONUS,
    "Release earned bonus money",
    auth=Auth.PLAYER,
    idempotent=True,
    use=SessionUse.MONEY,
    refusals=(Refusal.BONUS_NOT_DUE,),
)
async def release_bonus(request: CallRequest, commands: Commands) -> CallResult[BonusReleaseResult]:
    """Move earned bonus money to the available balance."""
    reply = await commands.submit_for_player(request, RELEASE_BONUS, ReleaseBonus(request.player))
    answer = reply.answer
    assert isinstance(answer, MoneyAnswered)
    released = BonusReleaseResult(
        money(answer.amount_minor),
        money(answer.available_minor),
        money(answer.bonus_minor),
        answer.version,
    )
    return CallResult(released, "set")


async def _set_until(
    request: CallRequest,
    commands: Commands,
    path: str,
    request_fields: Mapping[str, object],
    change: ProfileCommand,
) -> CallResult[EffectiveFrom]:
    """Submit once per idempotency key, compared by `request_fields`.

    The command is not compared, because a repetition computes a slightly later end.
    """

    async def work(key: str) -> CallResult[EffectiveFrom]:
        return _effective_from(await commands.submit_under(request.player, key, change))

    return await commands.once.run_once(request, path, request_fields, work)


async def _set(
    request: CallRequest, commands: Commands, path: str, change: ProfileCommand
) -> CallResult[EffectiveFrom]:
    return _effective_from(await commands.submit_for_player(request, path, change))


def _effective_from(reply: Reply) -> CallResult[EffectiveFrom]:
    assert isinstance(reply.answer, StandingChanged)
    return CallResult(EffectiveFrom(later_seconds(reply.answer.from_at)), "set")
