"""How a member stands with turnover, bonus and quota, and what protects them from themselves.

What protects holds at once, what loosens a protection after the waiting time; withdrawals stay
open whatever is set here (GLI-19 A.3.7, A.3.8; RTS 12, 13B).
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection
from psycopg.rows import TupleRow

from api.calls import Asked, Asking, AskingT, Auth, Call, Use
from api.commanding import actor_of, answered, command, once
from api.envelope import CallRefused, Done
from api.members import LEVELS, carry_exclusion, view_of
from api.units import Amount, At, Days, Hours, Level, Minutes, Money, Version
from api.wire import NotMoneyError, later_seconds, money, typed_minor_units
from engine.answers import MoneyAnswered, StandingChanged
from engine.players.money_commands import ReleaseBonus
from engine.players.protection import SHORTEST_EXCLUSION_US
from engine.players.standing_commands import (
    DEPOSIT,
    SPANS,
    SUBJECTS,
    ExcludeSelf,
    ReleaseQuota,
    ReserveQuota,
    SetLimit,
    SetRealityCheck,
    StandingCommand,
    TakeTimeOut,
)
from engine.refusals import Refusal
from engine.runtime.looking import PlayerView
from engine.runtime.replies import Reply
from engine.schedule import calendar_day
from projections.accounts import queries as accounts
from projections.accounts.queries import Account
from projections.standings import queries as standings
from projections.standings.queries import Flows, Limit, Standing
from projections.standings.rows import FOR_GOOD

HOUR_US: Final = 3_600 * 1_000_000
DAY_US: Final = 24 * HOUR_US
_MOST_DAYS: Final = 100_000
# What a command may take from here to its decision, which is what the shortest is counted from.
_ON_THE_WAY_US: Final = 10 * 1_000_000


class LimitAsking(Asking):
    """`subject` is deposit or loss, `span` day, week or month; no `amount` lifts the limit."""

    subject: str
    span: str
    amount: Amount = None


class TimeOutAsking(Asking):
    """How many hours from now, 1 to 1,008 (six weeks)."""

    hours: Hours


class ExclusionAsking(Asking):
    """How many days from now, 180 at least; without them it is for good."""

    days: Days | None = None


class IntervalAsking(Asking):
    """How often to be reminded, in minutes; 0 is never."""

    minutes: Minutes


class LimitShown(Struct, frozen=True):
    """A limit in u: `amount` holds now, `next_amount` from `next_from` (seconds) on.

    None is no limit. `used` is what the span has seen so far, pending deposits and open stakes
    with it; `left` what may still come.
    """

    subject: str
    span: str
    amount: Money | None
    used: Money
    left: Money | None
    next_amount: Money | None
    next_from: At


class Progress(Struct, frozen=True):
    """Turnover in u: `due` before a withdrawal, `bonus_due` before bonus money is released.

    `done` is a whole life's, `next_level_at` what reaches the next level, None at the highest.
    `quota_level` is the level reserved, 0 for none, and `quota_until` (seconds) its end.
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
    """Everything of it; times are seconds since 1970, 0 for none."""

    limits: tuple[LimitShown, ...]
    time_out_until: At
    excluded_until: At
    excluded_for_good: bool
    reality_check_minutes: Minutes
    closed: bool
    progress: Progress


class Holds(Struct, frozen=True):
    """From when on it holds, in seconds since 1970."""

    holds_from: At


class Released(Struct, frozen=True):
    """What the caller holds after bonus money became their own."""

    quantity: Money
    money: Money
    score: Money
    balance_version: Version


async def protection(asked: Asked[Asking]) -> Done:
    """The member's own figures and settings."""
    services, player = asked.services, asked.player
    now = services.clock()
    day = calendar_day(services.settings.timezone, now)

    def read(c: Connection[TupleRow]) -> tuple[Standing | None, tuple[Limit, ...], Flows]:
        return (
            standings.standing(c, player),
            standings.limits(c, player),
            standings.flows(c, player, day),
        )

    standing, limits, flows = await services.read_own(player, read)
    account = await services.read_own(player, lambda c: accounts.account(c, player))
    view = await view_of(services, player)
    if standing is None or account is None:
        raise CallRefused(Refusal.UNAVAILABLE)
    for_good = standing.excluded_until >= FOR_GOOD
    return Done(
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
    limits: tuple[Limit, ...], flows: Flows, account: Account, view: PlayerView, now: int
) -> tuple[LimitShown, ...]:
    """All six, those without a limit too: what was used is worth knowing before one is set."""
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


def _used(subject: str, span: str, flows: Flows, account: Account, view: PlayerView) -> int:
    if subject == DEPOSIT:
        deposited: int = getattr(flows.deposited, span)
        return deposited + view.pending_deposits_minor
    net: int = getattr(flows.net, span)
    return account.staked - net


def _limit(subject: str, span: str, limit: Limit | None, used: int, now: int) -> LimitShown:
    most = limit.at(now) if limit else None
    waits = limit is not None and now < limit.from_at
    return LimitShown(
        subject,
        span,
        None if most is None else money(most),
        money(used),
        None if most is None else money(max(0, most - used)),
        money(limit.amount) if limit and waits and limit.amount is not None else None,
        later_seconds(limit.from_at) if limit and waits else 0,
    )


def _progress(view: PlayerView, now: int) -> Progress:
    level, until, _ = view.quota or (0, 0, 0)
    return Progress(
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


async def set_limit(asked: Asked[LimitAsking]) -> Done:
    """Lower at once, higher after a day."""
    body = asked.body
    try:
        amount = (
            None if body.amount is None or body.amount == "" else typed_minor_units(body.amount)
        )
    except NotMoneyError:
        raise CallRefused(Refusal.AMOUNT_INVALID, "amount") from None
    return await _set(asked, SET_LIMIT, SetLimit(asked.player, body.subject, body.span, amount))


async def time_out(asked: Asked[TimeOutAsking]) -> Done:
    """A rest from bets and deposits, at once."""
    if abs(asked.body.hours) > _MOST_DAYS:
        raise CallRefused(Refusal.PERIOD_INVALID, "hours")
    until = asked.services.clock() + asked.body.hours * HOUR_US
    asks = {"hours": asked.body.hours}
    return await _set_until(asked, TIME_OUT, asks, TakeTimeOut(asked.player, until))


async def exclude(asked: Asked[ExclusionAsking]) -> Done:
    """Out of bets and deposits at once, here and where the same identity is given later."""
    days = asked.body.days
    if days is not None and abs(days) > _MOST_DAYS:
        raise CallRefused(Refusal.PERIOD_INVALID, "days")
    wish = ExcludeSelf(asked.player, _end(asked, days))
    excluded = await _set_until(asked, EXCLUDE, {"days": days}, wish)
    await carry_exclusion(asked.services, asked.player)
    return excluded


def _end(asked: Asked[ExclusionAsking], days: int | None) -> int | None:
    """When an exclusion of so many days ends, of those that are counted when it is decided."""
    if days is None:
        return None
    span = days * DAY_US
    on_the_way = _ON_THE_WAY_US if span == SHORTEST_EXCLUSION_US else 0
    return asked.services.clock() + span + on_the_way


async def reality_check(asked: Asked[IntervalAsking]) -> Done:
    """How often the member wants to be told how long they play."""
    return await _set(asked, REALITY_CHECK, SetRealityCheck(asked.player, asked.body.minutes))


async def reserve_quota(asked: Asked[Asking]) -> Done:
    """Keep the next level while its turnover is being completed; withdrawals are closed then."""
    return await _set(asked, RESERVE_QUOTA, ReserveQuota(asked.player))


async def release_quota(asked: Asked[Asking]) -> Done:
    """Give it up: withdrawals are open again at once."""
    return await _set(asked, RELEASE_QUOTA, ReleaseQuota(asked.player))


async def release_bonus(asked: Asked[Asking]) -> Done:
    """Make earned bonus money the member's own."""
    reply = await command(asked, RELEASE_BONUS, ReleaseBonus(asked.player))
    answer = reply.answer
    assert isinstance(answer, MoneyAnswered)
    released = Released(
        money(answer.amount_minor),
        money(answer.available_minor),
        money(answer.bonus_minor),
        answer.version,
    )
    return Done(released, "set")


async def _set_until(
    asked: Asked[Any], path: str, asks: Mapping[str, object], wish: StandingCommand
) -> Done:
    """Once for each key, by what was asked for: a repetition's own end is a little later."""

    async def work(key: str) -> Done:
        reply = await answered(asked.services, actor_of(asked.player), key, wish)
        asked.services.seen.note(asked.player, reply.position)
        return _held(reply)

    return await once(asked, path, asks, work)


async def _set(asked: Asked[Any], path: str, wish: StandingCommand) -> Done:
    return _held(await command(asked, path, wish))


def _held(reply: Reply) -> Done:
    assert isinstance(reply.answer, StandingChanged)
    return Done(Holds(later_seconds(reply.answer.from_at)), "set")


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
    takes: type[AskingT],
    handle: Callable[[Asked[AskingT]], Awaitable[Done]],
    summary: str,
    refusals: tuple[Refusal, ...] = (),
) -> Call[AskingT]:
    return Call(
        path, takes, Holds, handle, summary, auth=Auth.PLAYER, keyed=True, refusals=refusals
    )


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        PROTECTION,
        Asking,
        Protection,
        protection,
        "The caller's limits, exclusions and progress in figures",
        auth=Auth.PLAYER,
    ),
    _setting(
        SET_LIMIT,
        LimitAsking,
        set_limit,
        "Limit one's deposits or losses",
        refusals=(Refusal.MUST_REGISTER, Refusal.AMOUNT_INVALID, Refusal.LIMIT_UNKNOWN),
    ),
    _setting(
        TIME_OUT,
        TimeOutAsking,
        time_out,
        "Rest from bets and deposits",
        refusals=(Refusal.MUST_REGISTER, Refusal.PERIOD_INVALID, Refusal.PERIOD_SHORTENED),
    ),
    _setting(
        EXCLUDE,
        ExclusionAsking,
        exclude,
        "Exclude oneself from bets and deposits",
        refusals=(Refusal.MUST_REGISTER, Refusal.PERIOD_INVALID, Refusal.PERIOD_SHORTENED),
    ),
    _setting(
        REALITY_CHECK,
        IntervalAsking,
        reality_check,
        "Be reminded of the time",
        refusals=(Refusal.MUST_REGISTER, Refusal.INTERVAL_INVALID),
    ),
    _setting(
        RESERVE_QUOTA,
        Asking,
        reserve_quota,
        "Reserve the next level",
        refusals=(Refusal.MUST_REGISTER, Refusal.QUOTA_UNAVAILABLE),
    ),
    _setting(RELEASE_QUOTA, Asking, release_quota, "Give the reservation up"),
    Call(
        RELEASE_BONUS,
        Asking,
        Released,
        release_bonus,
        "Make earned bonus money one's own",
        auth=Auth.PLAYER,
        keyed=True,
        use=Use.MONEY,
        refusals=(Refusal.BONUS_NOT_DUE,),
    ),
)
