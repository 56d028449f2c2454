"""The read model of draws: the public record of every round, its trends, the days' commitments.

There are few rounds and days, so each is stored as a document with its keys. Its fields are in
minor units, microseconds since 1970 and lower-case hex.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, assert_never, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from psycopg import Connection, Cursor

from engine.catalogue import NAMED_KINDS, wins
from engine.facts import RecordedFact
from engine.fairness.beacon import BeaconRound
from engine.house.facts import DayOpened, RoundsSkipped, SegmentLeft
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundFact,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    Status,
    VoidRuled,
    WitnessAnsweredLate,
)
from projections.pagination import LIMIT, CursorPage, fetch_rows, paginate, parse_cursor
from projections.runner.projection import columns, execute_rows, filter_kinds, insert

_SCHEMA = """
CREATE TABLE rounds (
    game bigint,
    issue text COLLATE "C",
    opened_position bigint NOT NULL,
    drawn_position bigint NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (game, issue)
);
CREATE UNIQUE INDEX rounds_opened ON rounds (game, opened_position);
CREATE UNIQUE INDEX rounds_drawn ON rounds (game, drawn_position) WHERE drawn_position > 0;
CREATE TABLE days (
    game bigint,
    day text COLLATE "C",
    opened_position bigint NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (game, day)
);
CREATE UNIQUE INDEX days_opened ON days (game, opened_position);
"""
_LOAD_ROUNDS = (
    "SELECT record FROM rounds"
    " WHERE (game, issue) IN (SELECT * FROM unnest(%s, %s) AS wanted (game, issue))"
)
_LOAD_DAYS = (
    "SELECT record FROM days"
    " WHERE (game, day) IN (SELECT * FROM unnest(%s, %s) AS wanted (game, day))"
)
_LOAD_NEWEST_DAY = "SELECT record FROM days WHERE game = %s ORDER BY opened_position DESC LIMIT 1"
_SAVE_ROUNDS = insert(
    "rounds",
    "game, issue, opened_position, drawn_position, record",
    then="ON CONFLICT (game, issue)"
    " DO UPDATE SET drawn_position = excluded.drawn_position, record = excluded.record",
)
_SAVE_DAYS = insert(
    "days",
    "game, day, opened_position, record",
    then="ON CONFLICT (game, day) DO UPDATE SET record = excluded.record",
)
_ROUND_KINDS: Final = frozenset(get_args(RoundFact))
_DAY_KINDS: Final = frozenset({DayOpened, RoundsSkipped, SegmentLeft})

NO_TOTAL: Final = -1

_Key = tuple[int, str]
_DayFact = DayOpened | RoundsSkipped | SegmentLeft


#: Why a day or segment follows another one, besides the cause that a `SegmentLeft` has.
LATE_START: Final = "late_start"
_CHANGES: Final = {
    "operator_changed": "operator_key",
    "witness_changed": "witness_key",
    "schedule_changed": "schedule",
    "odds_changed": "odds_hash",
    "beacon_changed": "beacon",
}


class StatedLate(Struct, frozen=True):
    """What the witness of an unattested round stated at `at`: `statement` is a `Statement`.

    `answer` is its reason for not signing it, empty if it signed.
    """

    statement: str
    answer: str
    signature: str
    secret: str
    at: int


class RoundDocument(Struct, frozen=True):
    """The public record of a round, in minor units, µs since 1970 and lower-case hex.

    `phase` is open, closed, drawn, settled or voided. Fields of later phases are "" or 0, the
    digits None and their `total` -1. `void_status` is attested, unattested or breach, and
    `void_answer` the witness's reason for not releasing its link. `late` is its latest answer after
    an unattested void.
    """

    game: int
    issue: str
    day: str
    index: int
    opens_at: int
    closes_at: int
    draws_at: int
    odds_table: str
    opened_position: int
    phase: str = "open"
    count: int = 0
    stake: int = 0
    stakes: dict[str, int] = {}
    bets_head: str = ""
    prev: str = ""
    frozen: str = ""
    signature: str = ""
    closed_at: int = 0
    digits: tuple[int, int, int] | None = None
    total: int = NO_TOTAL
    operator_secret: str = ""
    witness_secret: str = ""
    operator_signature: str = ""
    witness_signature: str = ""
    drawn_at: int = 0
    drawn_position: int = 0
    payout: int = 0
    settled_at: int = 0
    void_status: str = ""
    void_answer: str = ""
    void_reason: str = ""
    void_signature: str = ""
    voided_at: int = 0
    beacon: BeaconRound | None = None
    late: StatedLate | None = None


class Skipped(Struct, frozen=True):
    """Rounds `first` to `last`, missed because the server was not running."""

    first: int
    last: int
    operator_secret: str
    witness_secret: str
    position: int
    at: int


class SegmentOrigin(Struct, frozen=True):
    """The day or segment before, empty if there is none, and why this one was begun after it.

    The reasons are the `cause` for which the one before was left, see `SegmentLeft`, then what
    differs from it: `operator_changed`, `witness_changed`, `schedule_changed`, `odds_changed` or
    `beacon_changed`; and `late_start` for a segment that is its date's first.
    """

    day: str
    reasons: tuple[str, ...]


class DayDocument(Struct, frozen=True):
    """A game's day or segment: both parties' commitments, and the rounds it missed.

    `follows` is None for a game's first day, unless it begins late, and for one that begins as
    planned after a day that ended so. `left` is the cause for which it was left, empty if it was
    not.
    """

    opened: DayOpened
    position: int
    opened_at: int
    skipped: tuple[Skipped, ...] = ()
    follows: SegmentOrigin | None = None
    left: str = ""


class DrawProjection:
    """The read model."""

    name = "draws"
    version = 4
    tables = ("rounds", "days")
    schema = _SCHEMA

    def apply(self, cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
        """Apply a page; raises KeyError for a fact of a round or a day that never opened."""
        _apply_days(cursor, page)
        _apply_rounds(cursor, page)


def _apply_rounds(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    round_facts = filter_kinds(page, _ROUND_KINDS)
    facts = [(it, it.fact) for it in round_facts if isinstance(it.fact, RoundFact)]
    if not facts:
        return
    rounds = _load_rounds(cursor, {(fact.game, fact.issue) for _, fact in facts})
    for it, fact in facts:
        key = (fact.game, fact.issue)
        if isinstance(fact, RoundOpened):
            rounds[key] = _opened(it, fact)
        else:
            rounds[key] = _evolve(rounds[key], it, fact)
    rows = [
        (it.game, it.issue, it.opened_position, it.drawn_position, _text(it))
        for it in rounds.values()
    ]
    execute_rows(cursor, _SAVE_ROUNDS, "itiit", rows)


def _apply_days(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    day_facts = filter_kinds(page, _DAY_KINDS)
    facts = [(it, it.fact) for it in day_facts if isinstance(it.fact, _DayFact)]
    if not facts:
        return
    days = _load_days(cursor, {(fact.game, fact.day) for _, fact in facts})
    newest = {game: _newest_day(cursor, game) for game in {fact.game for _, fact in facts}}
    for it, fact in facts:
        key = (fact.game, fact.day)
        match fact:
            case DayOpened():
                before = newest[fact.game]
                # The copy in `days` is newer if a fact of this page has changed it.
                last = days.get((fact.game, before.opened.day), before) if before else None
                follows = _follows(last, fact)
                newest[fact.game] = days[key] = DayDocument(fact, it.position, it.at, (), follows)
            case SegmentLeft(cause=cause):
                days[key] = replace(days[key], left=cause)
            case RoundsSkipped():
                days[key] = _with_skipped(days[key], it, fact)
            case _ as never:
                assert_never(never)
    rows = [(game, day, it.position, _text(it)) for (game, day), it in days.items()]
    execute_rows(cursor, _SAVE_DAYS, "itit", rows)


def _follows(before: DayDocument | None, opened: DayOpened) -> SegmentOrigin | None:
    is_continued = before is not None and before.opened.date == opened.date
    reasons: list[str] = []
    if before is not None:
        reasons += [before.left] if before.left else []
        reasons += [
            name
            for name, field in _CHANGES.items()
            if getattr(before.opened, field) != getattr(opened, field)
        ]
    if opened.segment and not is_continued:
        reasons.append(LATE_START)
    if not reasons:
        return None
    return SegmentOrigin(before.opened.day if before else "", tuple(reasons))


def _with_skipped(day: DayDocument, it: RecordedFact, fact: RoundsSkipped) -> DayDocument:
    skipped = Skipped(
        fact.first, fact.last, fact.operator_secret, fact.witness_secret, it.position, it.at
    )
    return replace(day, skipped=(*day.skipped, skipped))


# Made at import: msgspec crashes if several threads decode a type for the first time at once.
_decode_round: Final = msgspec.json.Decoder(RoundDocument).decode
_decode_day: Final = msgspec.json.Decoder(DayDocument).decode


def _load_rounds(cursor: Cursor[Any], keys: Iterable[_Key]) -> dict[_Key, RoundDocument]:
    rows = cursor.execute(_LOAD_ROUNDS, columns("it", sorted(keys)), prepare=True)
    found = [_decode_round(record) for (record,) in rows]
    return {(it.game, it.issue): it for it in found}


def _load_days(cursor: Cursor[Any], keys: Iterable[_Key]) -> dict[_Key, DayDocument]:
    rows = cursor.execute(_LOAD_DAYS, columns("it", sorted(keys)), prepare=True)
    found = [_decode_day(record) for (record,) in rows]
    return {(it.opened.game, it.opened.day): it for it in found}


def _newest_day(cursor: Cursor[Any], game: int) -> DayDocument | None:
    row = cursor.execute(_LOAD_NEWEST_DAY, (game,), prepare=True).fetchone()
    return None if row is None else _decode_day(row[0])


def _text(record: RoundDocument | DayDocument) -> str:
    return msgspec.json.encode(record).decode()


def _opened(recorded: RecordedFact, fact: RoundOpened) -> RoundDocument:
    """Returns the record of a round that was just opened."""
    return RoundDocument(
        game=fact.game,
        issue=fact.issue,
        day=fact.day,
        index=fact.index,
        opens_at=fact.opens_at,
        closes_at=fact.closes_at,
        draws_at=fact.draws_at,
        odds_table=fact.odds_table,
        opened_position=recorded.position,
    )


def _evolve(
    before: RoundDocument,
    recorded: RecordedFact,
    fact: RoundClosed
    | RoundDrawn
    | RoundSettled
    | RoundVoided
    | VoidRuled
    | StakesReturned
    | WitnessAnsweredLate,
) -> RoundDocument:
    """Returns the round after this fact."""
    match fact:
        case RoundClosed():
            return _closed(before, recorded.at, fact)
        case RoundDrawn():
            return _drawn(before, recorded, fact)
        case RoundSettled(payout_minor=payout):
            return replace(before, phase="settled", payout=payout, settled_at=recorded.at)
        case RoundVoided():
            return replace(
                before,
                phase="voided",
                void_status=Status.ATTESTED,
                operator_secret=fact.operator_secret,
                witness_secret=fact.witness_secret,
                void_reason=fact.reason,
                void_signature=fact.witness_signature,
                voided_at=recorded.at,
            )
        case VoidRuled():
            return _ruled(before, fact)
        case StakesReturned():
            return replace(before, phase="voided", voided_at=recorded.at)
        case WitnessAnsweredLate():
            signed = (fact.witness_signature, fact.witness_secret)
            late = StatedLate(fact.statement, fact.answer, *signed, recorded.at)
            return replace(before, late=late)
        case _ as never:
            assert_never(never)


def _closed(before: RoundDocument, at: int, fact: RoundClosed) -> RoundDocument:
    return replace(
        before,
        phase="closed",
        count=fact.count,
        stake=fact.stake_minor,
        stakes=fact.stakes,
        bets_head=fact.bets,
        prev=fact.prev,
        frozen=fact.frozen,
        signature=fact.signature,
        closed_at=at,
    )


def _ruled(before: RoundDocument, fact: VoidRuled) -> RoundDocument:
    return replace(
        before,
        operator_secret=fact.operator_secret,
        witness_secret=fact.witness_secret,
        void_status=fact.status,
        void_answer=fact.answer,
        void_reason=fact.reason,
        void_signature=fact.witness_signature,
    )


def _drawn(before: RoundDocument, recorded: RecordedFact, fact: RoundDrawn) -> RoundDocument:
    return replace(
        before,
        phase="drawn",
        digits=fact.digits,
        total=fact.total,
        operator_secret=fact.operator_secret,
        witness_secret=fact.witness_secret,
        operator_signature=fact.operator_signature,
        witness_signature=fact.witness_signature,
        drawn_at=recorded.at,
        drawn_position=recorded.position,
        beacon=fact.beacon,
    )


_DRAWN = (
    "SELECT record FROM views.rounds WHERE game = %s AND drawn_position > 0"
    " AND drawn_position < %s ORDER BY drawn_position DESC LIMIT %s"
)
_BY_ISSUES = (
    "SELECT record FROM views.rounds"
    " WHERE (game, issue) IN (SELECT * FROM unnest(%s::bigint[], %s::text[]))"
)
_OPENED = "SELECT record FROM views.rounds WHERE game = %s ORDER BY opened_position DESC LIMIT %s"
_DAY = "SELECT record FROM views.days WHERE game = %s AND day = %s"


def drawn(
    connection: Connection[Any], game: int, *, cursor: str | None = None, limit: int = LIMIT
) -> CursorPage[RoundDocument]:
    """Returns the drawn rounds of a game, newest first; ValueError if the cursor is invalid."""
    _, position = parse_cursor(cursor)
    found = fetch_rows(connection, _DRAWN, (game, position, limit + 1))
    return paginate(found, limit, _round, lambda it: (it.drawn_at, it.drawn_position))


def by_issue(connection: Connection[Any], game: int, issue: str) -> RoundDocument | None:
    """Returns one round."""
    return by_issues(connection, [(game, issue)]).get((game, issue))


def by_issues(
    connection: Connection[Any], keys: Sequence[tuple[int, str]]
) -> dict[tuple[int, str], RoundDocument]:
    """Returns those of these rounds that exist, by game and issue."""
    games, issues = [game for game, _ in keys], [issue for _, issue in keys]
    found = map(_round, fetch_rows(connection, _BY_ISSUES, (games, issues)))
    return {(it.game, it.issue): it for it in found}


def opened_last(connection: Connection[Any], game: int, limit: int) -> list[RoundDocument]:
    """Returns the rounds of a game that opened last, newest first, in any phase."""
    return [_round(row) for row in fetch_rows(connection, _OPENED, (game, limit))]


def day(connection: Connection[Any], game: int, name: str) -> DayDocument | None:
    """Returns a game's day or segment, such as `2026-11-21` or `2026-11-21/1`."""
    found = fetch_rows(connection, _DAY, (game, name))
    return _decode_day(found[0][0]) if found else None


def _round(row: tuple[Any, ...]) -> RoundDocument:
    return _decode_round(row[0])


_SUMS = (
    "SELECT issue, total, drawn_at, drawn_position FROM views.rounds,"
    " json_to_record(record::json) AS document (total int, drawn_at bigint)"
    " WHERE game = %(game)s AND drawn_position > 0 AND drawn_position < %(before)s"
    " AND (%(day)s::text IS NULL OR issue LIKE %(day)s || '%%')"
    " ORDER BY drawn_position DESC LIMIT %(limit)s"
)
#: Except for the extreme kinds, every kind has nearly always won within this many draws.
_DRAWS_PER_QUERY: Final = 100


class Sum(Struct, frozen=True, gc=False):
    """A draw's sum, drawn at `at` microseconds."""

    issue: str
    total: int
    at: int
    position: int


def sums(
    connection: Connection[Any],
    game: int,
    *,
    day: str | None = None,
    cursor: str | None = None,
    limit: int = LIMIT,
) -> CursorPage[Sum]:
    """Returns the sums of a game, newest first; raises ValueError if the cursor is invalid.

    `day` selects those whose issues begin with it, as in 20261121.
    """
    _, position = parse_cursor(cursor)
    found = _sum_rows(connection, game, position, day, limit + 1)
    return paginate(found, limit, lambda row: Sum(*row), lambda it: (it.at, it.position))


def sum_before(connection: Connection[Any], game: int, position: int) -> int | None:
    """Returns the sum drawn before this log position; None before the first draw."""
    found = _sum_rows(connection, game, position, None, 1)
    return Sum(*found[0]).total if found else None


def omissions(connection: Connection[Any], game: int, before: int) -> dict[str, int]:
    """Returns for how many draws before a log position each named kind has not won.

    It is 0 for a kind that won the last draw, and the number of all draws if it never won.
    """
    found: dict[str, int] = {}
    passed, full = 0, True
    while full and len(found) < len(NAMED_KINDS):
        drawn = [Sum(*row) for row in _sum_rows(connection, game, before, None, _DRAWS_PER_QUERY)]
        for each in drawn:
            for kind in hit(each.total):
                found.setdefault(kind, passed)
            passed += 1
            before = each.position
        full = len(drawn) == _DRAWS_PER_QUERY
    return {kind: found.get(kind, passed) for kind in NAMED_KINDS}


def omissions_after(counts: dict[str, int], totals: Iterable[int]) -> list[dict[str, int]]:
    """Returns the omissions after each of these draws in order, starting from `counts`."""
    steps = []
    for total in totals:
        won = hit(total)
        counts = {kind: 0 if kind in won else missed + 1 for kind, missed in counts.items()}
        steps.append(counts)
    return steps


def hit(total: int) -> tuple[str, ...]:
    """Returns the named kinds that win on a sum."""
    return tuple(kind for kind in NAMED_KINDS if wins(kind, total))


def _sum_rows(
    connection: Connection[Any], game: int, before: int, day: str | None, limit: int
) -> list[tuple[Any, ...]]:
    values = {"game": game, "before": before, "day": day, "limit": limit}
    return fetch_rows(connection, _SUMS, values)
