"""Requests the links that a draw needs from both parties, or the evidence for voiding the round.

The operator's link is looked up first: if it is lost, the witness need not release its own. A round
whose beacon is not published or cannot be fetched waits before the witness is asked, so no link is
released for a round that cannot be drawn yet. Only with `voiding` is the witness requested to sign
that it will never release.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from msgspec import Struct

from engine.fairness.beacon import BEACON_OFF, BeaconRound
from engine.fairness.canonical import canonical
from engine.fairness.records import CancelRecord
from engine.fairness.signing import CANCEL
from engine.fairness.witness_state import DeclineReason, Signed
from engine.house.game_day import Cause
from engine.rounds.commands import AnswerLate, DrawRound, RuleVoid
from engine.rounds.state import Round, record_of
from engine.runtime.scheduler.hash_chains import ChainLost, HashChainStore
from engine.runtime.scheduler.waiting import Awaiting
from engine.runtime.secret_keys import OperatorKey
from engine.runtime.witness.log_evidence import LogEvidence
from engine.runtime.witness.witness import Witness, WitnessDeclined

NO_ANSWER: Final = "no_answer"
NO_BEACON: Final = "no_beacon"
#: Reasons that end no segment: the next request may be answered otherwise.
_TRANSIENT: Final = frozenset(
    {
        "",  # no answer
        DeclineReason.ROUND_STILL_OPEN,
        # A void that was begun: asked to cancel again, the witness gives the same signature.
        DeclineReason.ROUND_CANCELLED,
        DeclineReason.NOT_LOGGED,
    }
)
#: With these reasons the witness has released its link, or may still release it.
_NEVER_CANCELLED: Final = frozenset(
    {DeclineReason.ROUND_STILL_OPEN, DeclineReason.ROUND_FROZEN_OTHERWISE}
)


class Parties(Protocol):
    """The operator with its key and chains, and the witness."""

    @property
    def key(self) -> OperatorKey:
        """The operator's key."""

    @property
    def chains(self) -> HashChainStore:
        """The operator's chains."""

    @property
    def witness(self) -> Witness:
        """The witness."""

    @property
    def former_witnesses(self) -> Sequence[Witness]:
        """Witnesses of earlier segments, whose rounds they still release."""

    @property
    def beacon_round(self) -> Callable[[str, int], BeaconRound | None]:
        """Returns the beacon round of a draw by mode and close, see `BeaconClient.round_of`."""

    @property
    def log_evidence(self) -> Callable[[Round], LogEvidence | None]:
        """Returns the proof that the log holds a closed round; None if it cannot be made now."""


class Answers(Struct):
    """Both links and the witness's signatures of its release or its cancellation, in hex.

    What is missing is empty. `declined` is the witness's reason for declining, also empty if it did
    not answer. `witness_behind` is whether it has forgotten answers of this segment, and
    `contradicts` whether its release does not fit its commitment. `beacon` is the verified beacon
    round, None if the mode is off; while one is awaited, no witness is asked.
    """

    operator_secret: str = ""
    witness_secret: str = ""
    release_signature: str = ""
    cancel_signature: str = ""
    declined: str = ""
    witness_behind: bool = False
    contradicts: bool = False
    beacon: BeaconRound | None = None
    awaits_beacon: bool = False

    @property
    def complete(self) -> bool:
        """Whether the round can be drawn."""
        return bool(self.operator_secret and self.release_signature)

    @property
    def obstacle(self) -> str:
        """Why its segment is left; empty while no answer rules out that the round is drawn."""
        if not self.operator_secret:
            return Cause.CHAIN_LOST
        if self.contradicts:
            return Cause.WITNESS_CONTRADICTS
        return "" if self.declined in _TRANSIENT else self.declined

    @property
    def waits_for(self) -> tuple[Awaiting, str]:
        """What a round waits for that is not drawn with these answers, and the reason."""
        if self.obstacle:
            return Awaiting.VOID, self.obstacle
        if self.awaits_beacon:
            return Awaiting.BEACON, NO_BEACON
        return Awaiting.WITNESS, self.declined or NO_ANSWER

    def draw(self, round_: Round) -> DrawRound:
        """Returns the command that draws the round."""
        links = (self.operator_secret, self.witness_secret)
        return DrawRound(
            round_.opened.game, round_.issue, *links, self.release_signature, self.beacon
        )

    def void(self, round_: Round) -> RuleVoid:
        """Returns the command that rules how the round is voided."""
        links = (self.operator_secret, self.witness_secret)
        signed = (self.release_signature, self.cancel_signature)
        return RuleVoid(round_.opened.game, round_.issue, *links, *signed, self.declined)


async def request_links(
    parties: Parties,
    round_: Round,
    revealed: int,
    *,
    voiding: bool,
    overdue: bool = False,
    away: bool = False,
) -> Answers:
    """Returns both parties' answers about a closed round, and its beacon.

    `revealed` is the newest index of the round's segment whose links are public. A witness that has
    answered for fewer was restored from an older copy, also under a running server.

    An `overdue` round that two managers want to void no longer awaits its beacon: a network that
    has ended must not lock stakes for ever. The witness has released nothing by then.

    A witness that is `away` is not asked: it has not answered about an earlier round of the
    segment, and with this one's release it could no longer sign what was true of that one.
    """
    mode = BEACON_OFF if round_.segment is None else round_.segment.beacon
    beacon = None if mode == BEACON_OFF else parties.beacon_round(mode, round_.closes_at)
    awaits = mode != BEACON_OFF and beacon is None
    answers = Answers(beacon=beacon, awaits_beacon=awaits and not (voiding and overdue))
    if awaits and not answers.awaits_beacon and not away:
        await asyncio.to_thread(_cancel, parties, round_, answers)
        return answers
    return await asyncio.to_thread(
        _request_links, parties, round_, revealed, answers, voiding=voiding, away=away
    )


def _request_links(
    parties: Parties,
    round_: Round,
    revealed: int,
    answers: Answers,
    *,
    voiding: bool,
    away: bool,
) -> Answers:
    try:
        answers.operator_secret = operator_link(parties.chains, round_).hex()
    except ChainLost:
        answers.awaits_beacon = False  # without its link the round cannot be drawn
    else:
        if answers.awaits_beacon:
            return answers
        if not away:
            _release(parties, round_, revealed, answers)
    # A missing answer may be a lost release. So the release is retried, and never cancelled.
    declined = bool(answers.declined) and answers.declined not in _NEVER_CANCELLED
    if voiding and not away and (declined or not answers.operator_secret):
        _cancel(parties, round_, answers)
    return answers


def operator_link(chains: HashChainStore, round_: Round) -> bytes:
    """Returns the operator's link of a round.

    Raises ChainLost if the chain is missing or does not match the day's commitment.
    """
    opened, segment = round_.opened, round_.segment
    links = chains.links(opened.game, opened.day)
    if segment is not None and links[0].hex() != segment.operator_commitment:
        raise ChainLost((opened.game, opened.day))
    return links[opened.index]


def _release(parties: Parties, round_: Round, revealed: int, answers: Answers) -> None:
    """Request the witness's link, after its status: a release would hide what it has forgotten."""
    opened = round_.opened
    request = _frozen(round_)
    try:
        witness = witness_of(parties, round_)
        status = witness.status(str(opened.game), opened.day)
        answers.witness_behind = bool(status.record) and status.released < revealed
        witness_link, signature = witness.release(request, parties.log_evidence(round_))
    except WitnessDeclined as declined:
        answers.declined = declined.declined.reason
    except OSError:
        answers.declined = ""
    else:
        answers.witness_secret, answers.release_signature = witness_link.hex(), signature.hex()


def _frozen(round_: Round) -> Signed:
    assert round_.closed is not None
    return Signed(canonical(record_of(round_.closed)), bytes.fromhex(round_.closed.signature))


def _cancel(parties: Parties, round_: Round, answers: Answers) -> None:
    opened = round_.opened
    try:
        named = opened.day, opened.game, opened.index
        witness_link, signature = cancel(parties, witness_of(parties, round_), *named)
    except WitnessDeclined as declined:
        answers.declined = declined.declined.reason
    except OSError:
        answers.declined = ""
    else:
        answers.witness_secret, answers.cancel_signature = witness_link.hex(), signature.hex()


def witness_of(parties: Parties, round_: Round) -> Witness:
    """Returns the witness that committed to the round's segment, if it is still known."""
    return _own_witness(parties, round_) or parties.witness


def _own_witness(parties: Parties, round_: Round) -> Witness | None:
    key = round_.segment.witness_key if round_.segment is not None else ""
    known = (*parties.former_witnesses, parties.witness)
    return next((each for each in known if each.public.hex() == key), None)


def late_answer(parties: Parties, round_: Round) -> AnswerLate | None:
    """Asks the witness of an unattested round what was true of it; blocks.

    It is asked to cancel, so that it cannot release the round now. If it answers that it released
    it before, it is asked for that release again. Returns None if the witness that committed to the
    segment is no longer known: another one cannot answer for it. Raises OSError without an answer.
    """
    witness, opened = _own_witness(parties, round_), round_.opened
    if witness is None:
        return None
    signed, declined = {"released": "", "cancelled": "", "witness_secret": ""}, ""
    try:
        try:
            link, signature = cancel(parties, witness, opened.day, opened.game, opened.index)
            signed |= {"cancelled": signature.hex(), "witness_secret": link.hex()}
        except WitnessDeclined as answer:
            if answer.declined.reason != DeclineReason.ROUND_RELEASED:
                raise
            link, signature = witness.release(_frozen(round_))
            signed |= {"released": signature.hex(), "witness_secret": link.hex()}
    except WitnessDeclined as answer:
        declined = answer.declined.reason
    return AnswerLate(opened.game, round_.issue, **signed, answer=declined)


def cancel(
    parties: Parties, witness: Witness, day: str, game: int, index: int
) -> tuple[bytes, bytes]:
    """Have a witness cancel a round; blocks. Returns the witness's link and its signature."""
    content = canonical(CancelRecord(day, str(game), index))
    request = Signed(content, parties.key.sign(CANCEL, content))
    return witness.cancel(request)
