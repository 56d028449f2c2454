"""What the house's steps with a game's day, and its receipts, lead to."""

from engine.answers import Refused
from engine.fairness.canonical import canonical
from engine.fairness.draw import OPERATOR, WITNESS, link
from engine.fairness.records import DayRecord, day_parts
from engine.fairness.signing import DAY, verify
from engine.house.commands import OpenDay, SkipRounds
from engine.house.facts import DayOpened, RoundsSkipped
from engine.house.state import GameDay
from engine.odds import TABLES, table_hash
from engine.refusals import Refusal


def open_day(
    command: OpenDay, game: GameDay, *, owed: bool
) -> list[DayOpened | RoundsSkipped] | Refused:
    """Commit to a day's chains; not while a round of the day before is owed.

    A day that both parties have not signed, or that names other odds than it sells, is refused.
    """
    record = command.record
    if record.day == game.day:
        return []
    if owed:
        return Refused(Refusal.ROUND_OWED)
    if not _signed(command) or record.odds_table != table_hash(TABLES[command.odds_table]).hex():
        return Refused(Refusal.SECRET_WRONG)
    return [_opened(command, record)]


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


def skip_rounds(
    command: SkipRounds, game: GameDay, *, owed: bool
) -> list[DayOpened | RoundsSkipped] | Refused:
    """Reveal the links of rounds that nobody could bet on; they lead to those of any owed one."""
    if command.last <= game.last_index:
        return []
    if owed:
        return Refused(Refusal.ROUND_OWED)
    if not _links_hold(command, game):
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


def _links_hold(command: SkipRounds, game: GameDay) -> bool:
    index, operator_seen, witness_seen = game.revealed
    operator, witness = (
        bytes.fromhex(command.operator_secret),
        bytes.fromhex(command.witness_secret),
    )
    for step in reversed(range(index, command.last)):
        operator = link(OPERATOR, str(command.game), game.day, step, operator)
        witness = link(WITNESS, str(command.game), game.day, step, witness)
    return (operator.hex(), witness.hex()) == (operator_seen, witness_seen)
