"""Voiding a round that cannot be drawn: its status, and the conditions.

Rules:
- Two managers agreed, and the round is closed and not drawn.
- A round that can be drawn is drawn: with the witness's release and both links a void is refused,
  so that no one can choose among results.
- `attested`: the witness signed that it never released its link, and never will.
- `breach`: the witness released its link, or states that it did, and the operator cannot draw.
- `unattested`: the witness neither released its link nor states that it did not. This is possible
  only `UNATTESTED_AFTER_US` after the close, because a lost answer looks like no answer.
- The ruling is a fact before the first stake is returned, and never changes.
"""

from typing import Final

from engine.answers import Refused
from engine.fairness.canonical import canonical
from engine.fairness.draw import OPERATOR, WITNESS, link
from engine.fairness.records import CancelRecord
from engine.fairness.signing import CANCEL, RELEASE, verify
from engine.fairness.witness_state import DeclineReason
from engine.house.facts import DayOpened
from engine.refusals import Refusal
from engine.rounds.commands import RuleVoid
from engine.rounds.facts import RoundFact, StakesReturned, Status, VoidRuled
from engine.rounds.state import Phase, Round

UNATTESTED_AFTER_US: Final = 30 * 60 * 1_000_000
#: The witness released its link, or can no longer rule that out.
_RELEASED_BEFORE: Final = frozenset(
    {DeclineReason.ROUND_RELEASED, DeclineReason.ROUND_FROZEN_OTHERWISE, DeclineReason.DAY_FINISHED}
)


def rule_void(
    command: RuleVoid, round_: Round, agreed: tuple[str, str, str] | None, now: int
) -> list[RoundFact] | Refused:
    """Rule how a round is voided; `agreed` is the reason, and who proposed it and who agreed."""
    if round_.ruled is not None:
        return []
    if round_.phase != Phase.CLOSED or now < round_.opened.draws_at:
        return Refused(Refusal.ROUND_NOT_DUE)
    if agreed is None:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    assert round_.segment is not None
    status = _status(command, round_, round_.segment)
    if status is None:
        return Refused(Refusal.ROUND_DRAWABLE)
    if status is Status.UNATTESTED and now < round_.closes_at + UNATTESTED_AFTER_US:
        return Refused(Refusal.VOID_TOO_EARLY)
    opened, (reason, proposed_by, agreed_by) = round_.opened, agreed
    return [
        VoidRuled(
            opened.game,
            opened.day,
            opened.index,
            round_.issue,
            status,
            reason,
            proposed_by,
            agreed_by,
            command.answer,
            command.released or command.cancelled,
            command.operator_secret,
            command.witness_secret,
        )
    ]


def _status(command: RuleVoid, round_: Round, day: DayOpened) -> Status | None:
    """The status of a void of this round; None if the round can be drawn."""
    assert round_.closed is not None
    key, opened = bytes.fromhex(day.witness_key), round_.opened
    frozen, released = bytes.fromhex(round_.closed.frozen), bytes.fromhex(command.released)
    operator_valid = _matches_commitment(
        OPERATOR, round_, command.operator_secret, day.operator_commitment
    )
    if released and verify(key, RELEASE, frozen, released):
        witness_valid = _matches_commitment(
            WITNESS, round_, command.witness_secret, day.witness_commitment
        )
        return None if operator_valid and witness_valid else Status.BREACH
    if command.answer == DeclineReason.ROUND_RELEASED and operator_valid:
        return None  # the witness returns its link again on request
    if command.answer in _RELEASED_BEFORE:
        return Status.BREACH
    record = canonical(CancelRecord(opened.day, str(opened.game), opened.index))
    cancelled = bytes.fromhex(command.cancelled)
    if cancelled and verify(key, CANCEL, record, cancelled):
        return Status.ATTESTED
    return Status.UNATTESTED


def _matches_commitment(role: str, round_: Round, secret: str, commitment: str) -> bool:
    """Whether a link hashes down to its party's commitment."""
    game, day, value = str(round_.opened.game), round_.opened.day, bytes.fromhex(secret)
    for step in reversed(range(round_.opened.index)):
        value = link(role, game, day, step, value)
    return value.hex() == commitment


def finish_returning(round_: Round) -> list[RoundFact]:
    """The round is voided once every stake has been returned."""
    if next(round_.book.open_bets(), None) is not None:
        return []
    return [StakesReturned(round_.opened.game, round_.issue, round_.count, round_.stake_minor)]
