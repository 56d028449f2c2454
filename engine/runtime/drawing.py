"""What a draw needs, asked of both parties; and where it cannot be had, what that shows.

The operator's link is looked up first: while it is lost, the witness is not asked to release its
own for nothing. Only with `voiding` is the witness asked to affirm that it never released.
"""

import asyncio
from typing import Final, Protocol

from msgspec import Struct

from engine.fairness.canonical import canonical
from engine.fairness.records import CancelRecord
from engine.fairness.signing import CANCEL
from engine.fairness.witness_state import DeclineReason, Signed
from engine.house.decisions import Cause
from engine.rounds.commands import DrawRound, RuleVoid
from engine.rounds.state import Round, record_of
from engine.runtime.chains import ChainLost, HashChainStore
from engine.runtime.keys import OperatorKey
from engine.runtime.witness_port import Witness, WitnessDeclined

#: The witness will answer otherwise later, or the void that was begun is finished.
_TRANSIENT: Final = frozenset({"", DeclineReason.ROUND_STILL_OPEN, DeclineReason.ROUND_CANCELLED})
#: It says of these that it released its link, or that it may still do so.
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


class Answers(Struct):
    """Both links and what the witness signed, in hex; empty where there is none.

    `answer` is the witness's reason for declining, empty also where it did not answer.
    """

    operator_secret: str = ""
    witness_secret: str = ""
    released: str = ""
    cancelled: str = ""
    answer: str = ""

    @property
    def complete(self) -> bool:
        """Whether the round can be drawn."""
        return bool(self.operator_secret and self.released)

    @property
    def obstacle(self) -> str:
        """Why the round can never be drawn; empty while it may be drawn later."""
        if not self.operator_secret:
            return Cause.CHAIN_LOST
        return "" if self.answer in _TRANSIENT else self.answer

    def draw(self, round_: Round) -> DrawRound:
        """The command that draws the round."""
        links = (self.operator_secret, self.witness_secret)
        return DrawRound(round_.opened.game, round_.issue, *links, self.released)

    def void(self, round_: Round) -> RuleVoid:
        """The command that rules how the round is voided."""
        links = (self.operator_secret, self.witness_secret)
        signed = (self.released, self.cancelled)
        return RuleVoid(round_.opened.game, round_.issue, *links, *signed, self.answer)


async def request_links(parties: Parties, round_: Round, *, voiding: bool) -> Answers:
    """Both parties' answers about a closed round."""
    return await asyncio.to_thread(_request_links, parties, round_, voiding=voiding)


def _request_links(parties: Parties, round_: Round, *, voiding: bool) -> Answers:
    answers = Answers()
    try:
        answers.operator_secret = operator_link(parties.chains, round_).hex()
    except ChainLost:
        pass
    else:
        _release(parties, round_, answers)
    # No answer may be a lost answer: the release is asked for again, and never cancelled.
    declined = bool(answers.answer) and answers.answer not in _NEVER_CANCELLED
    if voiding and (declined or not answers.operator_secret):
        _cancel(parties, round_, answers)
    return answers


def operator_link(chains: HashChainStore, round_: Round) -> bytes:
    """The operator's link of a round; ChainLost unless it leads to what the day committed to."""
    opened, segment = round_.opened, round_.segment
    links = chains.links(opened.game, opened.day)
    if segment is not None and links[0].hex() != segment.operator_commitment:
        raise ChainLost((opened.game, opened.day))
    return links[opened.index]


def _release(parties: Parties, round_: Round, answers: Answers) -> None:
    assert round_.closed is not None
    request = Signed(canonical(record_of(round_.closed)), bytes.fromhex(round_.closed.signature))
    try:
        witness_link, signature = parties.witness.release(request)
    except WitnessDeclined as declined:
        answers.answer = declined.declined.reason
    except OSError:
        answers.answer = ""
    else:
        answers.witness_secret, answers.released = witness_link.hex(), signature.hex()


def _cancel(parties: Parties, round_: Round, answers: Answers) -> None:
    opened = round_.opened
    try:
        witness_link, signature = cancel(parties, opened.day, opened.game, opened.index)
    except WitnessDeclined as declined:
        answers.answer = declined.declined.reason
    except OSError:
        answers.answer = ""
    else:
        answers.witness_secret, answers.cancelled = witness_link.hex(), signature.hex()


def cancel(parties: Parties, day: str, game: int, index: int) -> tuple[bytes, bytes]:
    """The witness's link of a round that it will never release, and what it signed; blocks."""
    content = canonical(CancelRecord(day, str(game), index))
    request = Signed(content, parties.key.sign(CANCEL, content))
    return parties.witness.cancel(request)
