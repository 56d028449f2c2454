"""Player protection: limits, time-out, self-exclusion and reality check, and turnover progress.

A stricter setting takes effect immediately, a looser one after the waiting time. Withdrawals stay
open under every protection (GLI-19 A.3.7, A.3.8; RTS 12, 13B).
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.account.player_sync import LEVELS, propagate_exclusion, view_of
from api.http.command_submission import actor_of, run_once, submit, submit_for_player
from api.http.endpoints import ApiRequest, Auth, Endpoint, RequestContext, RequestT, SessionUse
from api.http.envelope import CallRefused, CallResult
from api.http.field_types import Amount, At, Days, Hours, Level, Minutes, Money, Version
from api.http.wire import NotMoneyError, later_seconds, money, typed_minor_units
from engine.answers import MoneyAnswered, StandingChanged
from engine.cashier.commands import ReleaseBonus
from engine.players.commands import (
    DEPOSIT,
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
from engine.players.profile_decisions import MIN_EXCLUSION_US
from engine.refusals import Refusal
from engine.runtime.writer.engine_reader import PlayerView
from engine.runtime.writer.reply import Reply
from engine.schedule import calendar_day
from projections.accounts import queries as accounts
from projections.accounts.queries import Account
from projections.profiles import queries as standings
from projections.profiles.profile_row import FOR_GOOD
from projections.profiles.queries import LimitRow, PeriodTotalsRow, ProfileView

HOUR_US: Final = 3_600 * 1_000_000
DAY_US: Final = 24 * HOUR_US
_MAX_DAYS: Final = 100_000
# The most time from here to the decision, from which the shortest exclusion is counted.
_SUBMIT_MARGIN_US: Final = 10 * 1_000_000


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


async def protection(ctx: RequestContext[ApiRequest]) -> CallResult:
    """Returns the caller's protection settings and turnover progress."""
    services, player = ctx.services, ctx.player
    now = services.clock()
    day = calendar_day(services.settings.timezone, now)

    def read(
        c: Connection[TupleRow],
    ) -> tuple[ProfileView | None, tuple[LimitRow, ...], PeriodTotalsRow]:
        return (
            standings.profile(c, player),
            standings.limits(c, player),
            standings.period_totals(c, player, day),
        )

    standing, limits, flows = await services.read_own(player, read)
    account = await services.read_own(player, lambda c: accounts.account(c, player))
    view = await view_of(services, player)
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


async def set_limit(ctx: RequestContext[LimitRequest]) -> CallResult:
    """Set or remove a limit: a lower one applies immediately, a higher one or none after a day."""
    body = ctx.body
    try:
        amount = (
            None if body.amount is None or body.amount == "" else typed_minor_units(body.amount)
        )
    except NotMoneyError:
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount") from None
    return await _set(ctx, SET_LIMIT, SetLimit(ctx.player, body.subject, body.span, amount))


async def time_out(ctx: RequestContext[TimeOutRequest]) -> CallResult:
    """Block bets and deposits for some hours, starting immediately."""
    if abs(ctx.body.hours) > _MAX_DAYS:
        raise CallRefused(Refusal.PERIOD_INVALID, "hours")
    until = ctx.services.clock() + ctx.body.hours * HOUR_US
    request_fields = {"hours": ctx.body.hours}
    return await _set_until(ctx, TIME_OUT, request_fields, TakeTimeOut(ctx.player, until))


async def exclude(ctx: RequestContext[ExclusionRequest]) -> CallResult:
    """Block bets and deposits immediately, also in accounts that give the same identity later."""
    days = ctx.body.days
    if days is not None and abs(days) > _MAX_DAYS:
        raise CallRefused(Refusal.PERIOD_INVALID, "days")
    exclusion = ExcludeSelf(ctx.player, _end(ctx, days))
    excluded = await _set_until(ctx, EXCLUDE, {"days": days}, exclusion)
    await propagate_exclusion(ctx.services, ctx.player)
    return excluded


def _end(ctx: RequestContext[ExclusionRequest], days: int | None) -> int | None:
    """Returns the end of an exclusion of `days`, which the engine counts from its decision.

    None for a permanent one.
    """
    if days is None:
        return None
    span = days * DAY_US
    margin = _SUBMIT_MARGIN_US if span == MIN_EXCLUSION_US else 0
    return ctx.services.clock() + span + margin


async def reality_check(ctx: RequestContext[IntervalRequest]) -> CallResult:
    """Set how often the player is reminded of how long they have played."""
    return await _set(ctx, REALITY_CHECK, SetRealityCheck(ctx.player, ctx.body.minutes))


async def reserve_quota(ctx: RequestContext[ApiRequest]) -> CallResult:
    """Reserve the next level until its turnover is completed; withdrawals are closed meanwhile."""
    return await _set(ctx, RESERVE_QUOTA, ReserveQuota(ctx.player))


async def release_quota(ctx: RequestContext[ApiRequest]) -> CallResult:
    """Release the reservation; withdrawals are open again immediately."""
    return await _set(ctx, RELEASE_QUOTA, ReleaseQuota(ctx.player))


async def release_bonus(ctx: RequestContext[ApiRequest]) -> CallResult:
    """Move earned bonus money to the available balance."""
    reply = await submit_for_player(ctx, RELEASE_BONUS, ReleaseBonus(ctx.player))
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
    ctx: RequestContext[Any],
    path: str,
    request_fields: Mapping[str, object],
    change: ProfileCommand,
) -> CallResult:
    """Submit once per idempotency key, compared by `request_fields`.

    The command is not compared, because a repetition computes a slightly later end.
    """

    async def work(key: str) -> CallResult:
        reply = await submit(ctx.services, actor_of(ctx.player), key, change)
        ctx.services.last_seen.record(ctx.player, reply.position)
        return _effective_from(reply)

    return await run_once(ctx, path, request_fields, work)


async def _set(ctx: RequestContext[Any], path: str, change: ProfileCommand) -> CallResult:
    return _effective_from(await submit_for_player(ctx, path, change))


def _effective_from(reply: Reply) -> CallResult:
    assert isinstance(reply.answer, StandingChanged)
    return CallResult(EffectiveFrom(later_seconds(reply.answer.from_at)), "set")


PROTECTION: Final = "/api/user/protection"
SET_LIMIT: Final = "/api/user/setLimit"
TIME_OUT: Final = "/api/user/timeOut"
EXCLUDE: Final = "/api/user/exclude"
REALITY_CHECK: Final = "/api/user/realityCheck"
RESERVE_QUOTA: Final = "/api/user/reserveQuota"
RELEASE_QUOTA: Final = "/api/user/releaseQuota"
RELEASE_BONUS: Final = "/api/user/releaseBonus"


def _setting(
    path: str,
    request_type: type[RequestT],
    handle: Callable[[RequestContext[RequestT]], Awaitable[CallResult]],
    summary: str,
    refusals: tuple[Refusal, ...] = (),
) -> Endpoint[RequestT]:
    return Endpoint(
        path,
        request_type,
        EffectiveFrom,
        handle,
        summary,
        auth=Auth.PLAYER,
        idempotent=True,
        refusals=refusals,
    )


CALLS: Final[tuple[Endpoint[Any], ...]] = (
    Endpoint(
        PROTECTION,
        ApiRequest,
        Protection,
        protection,
        "The caller's limits, exclusions and turnover progress",
        auth=Auth.PLAYER,
    ),
    _setting(
        SET_LIMIT,
        LimitRequest,
        set_limit,
        "Set a deposit or loss limit",
        refusals=(Refusal.MUST_REGISTER, Refusal.AMOUNT_INVALID, Refusal.LIMIT_UNKNOWN),
    ),
    _setting(
        TIME_OUT,
        TimeOutRequest,
        time_out,
        "Take a time-out from bets and deposits",
        refusals=(Refusal.MUST_REGISTER, Refusal.PERIOD_INVALID, Refusal.PERIOD_SHORTENED),
    ),
    _setting(
        EXCLUDE,
        ExclusionRequest,
        exclude,
        "Self-exclude from bets and deposits",
        refusals=(Refusal.MUST_REGISTER, Refusal.PERIOD_INVALID, Refusal.PERIOD_SHORTENED),
    ),
    _setting(
        REALITY_CHECK,
        IntervalRequest,
        reality_check,
        "Set the reality check",
        refusals=(Refusal.MUST_REGISTER, Refusal.INTERVAL_INVALID),
    ),
    _setting(
        RESERVE_QUOTA,
        ApiRequest,
        reserve_quota,
        "Reserve the next level",
        refusals=(Refusal.MUST_REGISTER, Refusal.QUOTA_UNAVAILABLE),
    ),
    _setting(RELEASE_QUOTA, ApiRequest, release_quota, "Give the reservation up"),
    Endpoint(
        RELEASE_BONUS,
        ApiRequest,
        BonusReleaseResult,
        release_bonus,
        "Release earned bonus money",
        auth=Auth.PLAYER,
        idempotent=True,
        use=SessionUse.MONEY,
        refusals=(Refusal.BONUS_NOT_DUE,),
    ),
)
