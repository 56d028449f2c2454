"""Decisions on the house's steps with a round, and on voiding one that cannot be drawn.

`draw` is the only function that makes a `RoundDrawn`; it uses both secrets, the hash of the frozen
bet set and a verified beacon round, never a selection or a balance. A repeated step yields no
facts; a repeated `may_void` is refused.
"""

from collections.abc import Callable
from typing import Final, Protocol

from engine.answers import Refused
from engine.fairness.beacon import is_beacon_of, randomness_of
from engine.fairness.canonical import canonical
from engine.fairness.draw import OPERATOR, WITNESS, link
from engine.fairness.draw import draw as draw_digits
from engine.fairness.merkle import tree_head
from engine.fairness.records import CancelRecord, FrozenRecord, frozen_record, record_hash
from engine.fairness.signing import CANCEL, FROZEN, RELEASE, verify
from engine.fairness.witness_state import DeclineReason
from engine.house.facts import DayOpened
from engine.refusals import Refusal
from engine.rounds.commands import AnswerLate, DrawRound, OpenRound, RuleVoid, VoidRound
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundFact,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
    Statement,
    Status,
    VoidRuled,
    WitnessAnsweredLate,
)
from engine.rounds.state import Phase, Round

Sign = Callable[[bytes, bytes], bytes]
"""The operator's signature over a payload in a domain."""
UNATTESTED_AFTER_US: Final = 30 * 60 * 1_000_000
#: The witness released its link, or can no longer rule that out.
_RELEASED_BEFORE: Final = frozenset(
    {DeclineReason.ROUND_RELEASED, DeclineReason.ROUND_FROZEN_OTHERWISE, DeclineReason.DAY_FINISHED}
)

#: Unsigned, but they say that the witness released its link, for this or another frozen record.
_SAYS_RELEASED: Final = frozenset(
    {DeclineReason.ROUND_RELEASED, DeclineReason.ROUND_FROZEN_OTHERWISE}
)


class DayView(Protocol):
    """The parts of its day that a round needs: names, keys, and the last links revealed."""

    @property
    def day(self) -> str:
        """The segment's name in the chains."""

    @property
    def odds_table(self) -> str:
        """The id of its odds table."""

    @property
    def last_index(self) -> int:
        """The newest round opened or skipped."""

    @property
    def revealed(self) -> tuple[int, str, str]:
        """The newest index whose links are public, the operator's link and the witness's, hex."""

    @property
    def witness_key(self) -> str:
        """The witness's public key, hex."""

    @property
    def beacon(self) -> str:
        """The beacon mode of its draws."""

    def issue_of(self, index: int) -> str:
        """The public number of a round."""


def open_round(command: OpenRound, day: DayView, now: int) -> list[RoundFact] | Refused:
    """Open the sale: once, in order, and not after its time has passed."""
    if command.index <= day.last_index:
        return []
    if not command.opens_at <= now < command.closes_at:
        return Refused(Refusal.ROUND_NOT_DUE)
    return [
        RoundOpened(
            command.game,
            day.day,
            command.index,
            day.issue_of(command.index),
            command.opens_at,
            command.closes_at,
            command.draws_at,
            day.odds_table,
        )
    ]


def close_round(round_: Round, prev: str, now: int, sign: Sign) -> list[RoundFact] | Refused:
    """Freeze the open bets in log order and sign the record's hash."""
    if round_.phase != Phase.OPEN:
        return []
    if now < round_.closes_at:
        return Refused(Refusal.ROUND_NOT_DUE)
    record = _freeze(round_, prev)
    frozen = record_hash(record)
    return [
        RoundClosed(
            round_.opened.game,
            record.day,
            record.i,
            record.issue,
            record.closes_at,
            record.count,
            record.stake_minor,
            record.stakes,
            record.bets,
            record.prev,
            frozen.hex(),
            sign(FROZEN, frozen).hex(),
        )
    ]


def _freeze(round_: Round, prev: str) -> FrozenRecord:
    leaves = [booked.leaf for booked in round_.book.open_bets()]
    return frozen_record(
        game=str(round_.opened.game),
        day=round_.opened.day,
        i=round_.opened.index,
        issue=round_.issue,
        closes_at=round_.closes_at,
        count=len(leaves),
        stakes={kind: stake for kind, stake in round_.book.stakes.items() if stake},
        bets=tree_head(leaves),
        prev=bytes.fromhex(prev),
    )


def draw(command: DrawRound, round_: Round, day: DayView, now: int) -> list[RoundFact] | Refused:
    """Digits from the two links, the frozen set and the beacon, if all signatures are valid."""
    if round_.phase != Phase.CLOSED or round_.ruled is not None:
        return [] if round_.drawn else Refused(Refusal.ROUND_NOT_DUE)
    assert round_.closed is not None
    if now < round_.opened.draws_at:
        return Refused(Refusal.ROUND_NOT_DUE)
    operator, witness = (
        bytes.fromhex(command.operator_secret),
        bytes.fromhex(command.witness_secret),
    )
    signature = bytes.fromhex(command.witness_signature)
    frozen = bytes.fromhex(round_.closed.frozen)
    if not _links_valid(round_, day, operator, witness):
        return Refused(Refusal.SECRET_WRONG)
    if not verify(bytes.fromhex(_witness_key(round_, day)), RELEASE, frozen, signature):
        return Refused(Refusal.SECRET_WRONG, "witness_signature")
    closed, beacon = round_.closed, command.beacon
    if not is_beacon_of(_beacon_mode(round_, day), closed.closes_at, beacon):
        return Refused(Refusal.SECRET_WRONG, "beacon")
    identity = (str(closed.game), closed.day, closed.index)
    digits = draw_digits(operator, witness, *identity, frozen, randomness_of(beacon))
    return [
        RoundDrawn(
            closed.game,
            closed.day,
            closed.index,
            closed.issue,
            command.operator_secret,
            command.witness_secret,
            closed.frozen,
            digits,
            sum(digits),
            closed.signature,
            command.witness_signature,
            beacon,
        )
    ]


def _links_valid(round_: Round, day: DayView, operator: bytes, witness: bytes) -> bool:
    """Whether both secrets hash down to the links revealed last."""
    index, expected_operator, expected_witness = _expected_links(round_, day)
    game, name = str(round_.opened.game), round_.opened.day
    for step in reversed(range(index, round_.opened.index)):
        operator = link(OPERATOR, game, name, step, operator)
        witness = link(WITNESS, game, name, step, witness)
    return (operator.hex(), witness.hex()) == (expected_operator, expected_witness)


def _expected_links(round_: Round, day: DayView) -> tuple[int, str, str]:
    """The links to which a round's must hash down: in an earlier segment, its commitments."""
    earlier = _earlier_segment(round_, day)
    if earlier is None:
        return day.revealed
    return 0, earlier.operator_commitment, earlier.witness_commitment


def _witness_key(round_: Round, day: DayView) -> str:
    earlier = _earlier_segment(round_, day)
    return day.witness_key if earlier is None else earlier.witness_key


def _beacon_mode(round_: Round, day: DayView) -> str:
    earlier = _earlier_segment(round_, day)
    return day.beacon if earlier is None else earlier.beacon


def _earlier_segment(round_: Round, day: DayView) -> DayOpened | None:
    """The round's own segment, if another one has been opened since."""
    return None if round_.opened.day == day.day else round_.segment


def finish(round_: Round) -> list[RoundFact]:
    """The round is settled once every bet of the frozen set is settled."""
    if round_.phase != Phase.DRAWN or next(round_.book.open_bets(), None) is not None:
        return []
    opened = round_.opened
    return [
        RoundSettled(opened.game, round_.issue, round_.count, round_.stake_minor, round_.paid_minor)
    ]


def may_void(command: VoidRound, round_: Round, day: DayView) -> Refused | None:
    """Only a closed round whose link the witness signed as never released; else the refusal."""
    if round_.phase != Phase.CLOSED or round_.ruled is not None:
        return Refused(Refusal.ROUND_NOT_DUE)
    record, signature = _cancel_record(round_), bytes.fromhex(command.witness_signature)
    if not verify(bytes.fromhex(_witness_key(round_, day)), CANCEL, record, signature):
        return Refused(Refusal.SECRET_WRONG, "witness_signature")
    operator, witness = (
        bytes.fromhex(command.operator_secret),
        bytes.fromhex(command.witness_secret),
    )
    return None if _links_valid(round_, day, operator, witness) else Refused(Refusal.SECRET_WRONG)


def finish_void(command: VoidRound, round_: Round) -> list[RoundFact]:
    """The round is voided when every stake has been returned."""
    if next(round_.book.open_bets(), None) is not None:
        return []
    return [
        RoundVoided(
            round_.opened.game,
            round_.issue,
            command.reason,
            round_.count,
            round_.stake_minor,
            command.witness_signature,
            round_.opened.index,
            command.operator_secret,
            command.witness_secret,
        )
    ]


def rule_void(
    command: RuleVoid, round_: Round, agreed: tuple[str, str, str] | None, now: int
) -> list[RoundFact] | Refused:
    """Rule how a round is voided; `agreed` is the reason, and who proposed it and who agreed.

    - Two managers agreed, and the round is closed and not drawn.
    - A round that can be drawn is drawn: with the witness's release and both links a void is
      refused, so that no one can choose among results.
    - `attested`: the witness signed that it never released its link, and never will.
    - `breach`: the witness released its link, or states that it did, and the operator cannot draw.
      So it is with a link that came without a valid signature: the operator knows the result.
    - `unattested`: the witness neither released its link nor states that it did not. This is
      possible only `UNATTESTED_AFTER_US` after the close, because a lost answer looks like no
      answer.
    - The ruling is a fact before the first stake is returned, and never changes.
    """
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
    # Only a breach shows a link that leads to no commitment: there it is what prevents the draw.
    shows_link = status is Status.BREACH or _is_link_of_witness(command, round_, round_.segment)
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
            command.witness_secret if shows_link else "",
        )
    ]


def _status(command: RuleVoid, round_: Round, day: DayOpened) -> Status | None:
    """The status of a void of this round; None if the round can be drawn."""
    assert round_.closed is not None
    key = bytes.fromhex(day.witness_key)
    frozen, released = bytes.fromhex(round_.closed.frozen), bytes.fromhex(command.released)
    operator_valid = _matches_commitment(
        OPERATOR, round_, command.operator_secret, day.operator_commitment
    )
    witness_valid = _is_link_of_witness(command, round_, day)
    if released and verify(key, RELEASE, frozen, released):
        return None if operator_valid and witness_valid else Status.BREACH
    if command.answer == DeclineReason.ROUND_RELEASED and operator_valid:
        return None  # the witness returns its link again on request
    if command.answer in _RELEASED_BEFORE:
        return Status.BREACH
    cancelled = bytes.fromhex(command.cancelled)
    if cancelled and verify(key, CANCEL, _cancel_record(round_), cancelled):
        return Status.ATTESTED
    return Status.BREACH if witness_valid else Status.UNATTESTED


def _is_link_of_witness(command: RuleVoid, round_: Round, day: DayOpened) -> bool:
    return _matches_commitment(WITNESS, round_, command.witness_secret, day.witness_commitment)


def _cancel_record(round_: Round) -> bytes:
    opened = round_.opened
    return canonical(CancelRecord(opened.day, str(opened.game), opened.index))


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


def answer_late(command: AnswerLate, round_: Round) -> list[RoundFact] | Refused:
    """Record what the witness says of a round that was voided as unattested.

    - `released`: it signed its release of the frozen record, or answers that it released its link.
      Then the void was a breach. It stays: the stakes are returned.
    - `not_released`: it signed that it never released its link, and never will.
    - `unknown`: it signed nothing, because it has no record of the round or passed its index.
    - A signature or a link that is not its own is refused.
    - What the ruling or an earlier answer says already yields no facts. An `unknown` is followed by
      another statement at most, so a round has two of these facts at most.
    """
    ruled = round_.ruled
    if ruled is None or ruled.status != Status.UNATTESTED:
        return Refused(Refusal.ROUND_NOT_DUE)
    statement = _statement(command, round_)
    if isinstance(statement, Refused):
        return statement
    is_news = round_.late is None and command.answer not in {"", ruled.answer}
    if not round_.awaits_statement or (statement is Statement.UNKNOWN and not is_news):
        return []
    return [
        WitnessAnsweredLate(
            ruled.game,
            ruled.day,
            ruled.index,
            ruled.issue,
            statement,
            command.answer,
            command.released or command.cancelled,
            command.witness_secret,
        )
    ]


def _statement(command: AnswerLate, round_: Round) -> Statement | Refused:
    assert round_.segment is not None
    assert round_.closed is not None
    if not command.released and not command.cancelled:
        return Statement.RELEASED if command.answer in _SAYS_RELEASED else Statement.UNKNOWN
    key, frozen = bytes.fromhex(round_.segment.witness_key), bytes.fromhex(round_.closed.frozen)
    commitment = round_.segment.witness_commitment
    if not _matches_commitment(WITNESS, round_, command.witness_secret, commitment):
        return Refused(Refusal.SECRET_WRONG)
    if command.released:
        found, domain, record, signature = Statement.RELEASED, RELEASE, frozen, command.released
    else:
        record = _cancel_record(round_)
        found, domain, signature = Statement.NOT_RELEASED, CANCEL, command.cancelled
    if not verify(key, domain, record, bytes.fromhex(signature)):
        return Refused(Refusal.SECRET_WRONG, "witness_signature")
    return found
