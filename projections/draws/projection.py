"""One row per round and per day. There are few, so each is stored as a document with its keys."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

import msgspec
from msgspec.structs import replace
from psycopg import Cursor

from engine.facts import RecordedFact
from engine.house.facts import DayOpened, RoundsSkipped
from engine.rounds.facts import RoundFact, RoundOpened
from projections.draws.records import DayDocument, RoundDocument, Skipped, evolve, opened
from projections.runner.bulk_sql import columns, execute_rows, insert
from projections.runner.projection import filter_kinds

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
    record text NOT NULL,
    PRIMARY KEY (game, day)
);
"""
_LOAD_ROUNDS = (
    "SELECT record FROM rounds"
    " WHERE (game, issue) IN (SELECT * FROM unnest(%s, %s) AS wanted (game, issue))"
)
_LOAD_DAYS = (
    "SELECT record FROM days"
    " WHERE (game, day) IN (SELECT * FROM unnest(%s, %s) AS wanted (game, day))"
)
_SAVE_ROUNDS = insert(
    "rounds",
    "game, issue, opened_position, drawn_position, record",
    then="ON CONFLICT (game, issue)"
    " DO UPDATE SET drawn_position = excluded.drawn_position, record = excluded.record",
)
_SAVE_DAYS = insert(
    "days",
    "game, day, record",
    then="ON CONFLICT (game, day) DO UPDATE SET record = excluded.record",
)
_ROUND_KINDS: Final = frozenset(get_args(RoundFact))
_DAY_KINDS: Final = frozenset({DayOpened, RoundsSkipped})

_Key = tuple[int, str]


class DrawProjection:
    """The read model."""

    name = "draws"
    version = 2
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
            rounds[key] = opened(it, fact)
        else:
            rounds[key] = evolve(rounds[key], it, fact)
    rows = [
        (it.game, it.issue, it.opened_position, it.drawn_position, _text(it))
        for it in rounds.values()
    ]
    execute_rows(cursor, _SAVE_ROUNDS, "itiit", rows)


def _apply_days(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    day_facts = filter_kinds(page, _DAY_KINDS)
    facts = [(it, it.fact) for it in day_facts if isinstance(it.fact, DayOpened | RoundsSkipped)]
    if not facts:
        return
    days = _load_days(cursor, {(fact.game, fact.day) for _, fact in facts})
    for it, fact in facts:
        key = (fact.game, fact.day)
        if isinstance(fact, DayOpened):
            days[key] = DayDocument(fact, it.position, it.at)
        else:
            days[key] = _with_skipped(days[key], it, fact)
    rows = [(game, day, _text(it)) for (game, day), it in days.items()]
    execute_rows(cursor, _SAVE_DAYS, "itt", rows)


def _with_skipped(day: DayDocument, it: RecordedFact, fact: RoundsSkipped) -> DayDocument:
    skipped = Skipped(
        fact.first, fact.last, fact.operator_secret, fact.witness_secret, it.position, it.at
    )
    return replace(day, skipped=(*day.skipped, skipped))


def _load_rounds(cursor: Cursor[Any], keys: Iterable[_Key]) -> dict[_Key, RoundDocument]:
    rows = cursor.execute(_LOAD_ROUNDS, columns("it", sorted(keys)), prepare=True)
    found = [msgspec.json.decode(record, type=RoundDocument) for (record,) in rows]
    return {(it.game, it.issue): it for it in found}


def _load_days(cursor: Cursor[Any], keys: Iterable[_Key]) -> dict[_Key, DayDocument]:
    rows = cursor.execute(_LOAD_DAYS, columns("it", sorted(keys)), prepare=True)
    found = [msgspec.json.decode(record, type=DayDocument) for (record,) in rows]
    return {(it.opened.game, it.opened.day): it for it in found}


def _text(record: RoundDocument | DayDocument) -> str:
    return msgspec.json.encode(record).decode()
