"""Decisions on a game's day and on signed receipts."""

from collections.abc import Sequence
from enum import StrEnum

from engine.answers import Refused
from engine.fairness.canonical import canonical
from engine.fairness.draw import OPERATOR, WITNESS, link
from engine.fairness.records import DayRecord, day_parts
from engine.fairness.signing import DAY, verify
from engine.house.commands import LeaveSegment, OpenDay, SkipRounds
from engine.house.facts import DayFact, DayOpened, RoundsCarried, RoundsSkipped, SegmentLeft
from engine.house.game_day import GameDay
from engine.odds import TABLES, table_hash
from engine.refusals import Refusal


class Cause(StrEnum):
    """Why a segment is left when the log, the chains and the witness's journal disagree."""

    CHAIN_LOST = "chain_lost"
    WITNESS_UNKNOWING = "witness_unknowing"
    WITNESS_BEHIND = "witness_behind"
    WITNESS_AHEAD = "witness_ahead"


def open_day(
    command: OpenDay, game: GameDay, *, selling: bool, carried: Sequence[str] = ()
) -> list[DayFact] | Refused:
    """Commit to a day's chains; not while a round of the game is on sale.

    `carried` are the closed rounds of earlier segments that are neither drawn nor voided. Refuses a
    day that lacks a party's signature, or whose record names other odds than it sells.
    """
    record = command.record
    if record.day == game.day:
        return []
    if selling:
        return Refused(Refusal.ROUND_OWED)
    if not _signed(command) or record.odds_table != table_hash(TABLES[command.odds_table]).hex():
        return Refused(Refusal.SECRET_WRONG)
    opened = _opened(command, record)
    if not carried:
        return [opened]
    return [RoundsCarried(command.game, record.day, tuple(carried)), opened]


def _signed(command: OpenDay) -> bool:
    content = canonical(command.record)
    keys = (command.record.operator_key, command.record.witness_key)
    signatures = (command.operator_signature, command.witness_signature)
    return all(
        verify(bytes.fromhex(key), DAY, content, bytes.fromhex(signature))
        for key, signature in zip(keys, signatures, strict=True)
    )


def _opened(command: OpenDay, record: DayRecord) -> DayOpened:
    date, segment = day_parts(record.day)
    return DayOpened(
        game=command.game,
        day=record.day,
        date=date,
        segment=segment,
        first=record.first,
        rounds=record.rounds,
        shift=record.shift,
        schedule=record.schedule,
        odds_table=command.odds_table,
        odds_hash=record.odds_table,
        rules_hash=record.rules,
        program_hash=record.program,
        beacon=record.beacon,
        operator_commitment=record.c_0,
        witness_commitment=record.w_0,
        operator_key=record.operator_key,
        witness_key=record.witness_key,
        operator_signature=command.operator_signature,
        witness_signature=command.witness_signature,
    )


def leave_segment(command: LeaveSegment, game: GameDay) -> list[DayFact]:
    """Stop selling rounds in the open segment; leaving it twice yields no facts."""
    if command.day != game.day or game.left_cause:
        return []
    return [SegmentLeft(command.game, command.day, command.cause)]


def skip_rounds(command: SkipRounds, game: GameDay, *, unfinished: bool) -> list[DayFact] | Refused:
    """Reveal the links of rounds that were never sold; they would reveal an unfinished round's.

    `unfinished` means that a round of the segment is neither drawn nor voided: then this refuses.
    """
    if command.last <= game.last_index:
        return []
    if unfinished:
        return Refused(Refusal.ROUND_OWED)
    if not _links_valid(command, game):
        return Refused(Refusal.SECRET_WRONG)
    return [
        RoundsSkipped(
            command.game,
            game.day,
            game.last_index + 1,
            command.last,
            command.operator_secret,
            command.witness_secret,
        )
    ]


def _links_valid(command: SkipRounds, game: GameDay) -> bool:
    index, expected_operator, expected_witness = game.revealed
    operator, witness = (
        bytes.fromhex(command.operator_secret),
        bytes.fromhex(command.witness_secret),
    )
    for step in reversed(range(index, command.last)):
        operator = link(OPERATOR, str(command.game), game.day, step, operator)
        witness = link(WITNESS, str(command.game), game.day, step, witness)
    return (operator.hex(), witness.hex()) == (expected_operator, expected_witness)
