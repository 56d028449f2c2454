"""Requests the links that a draw needs from both parties, or the evidence for voiding the round.

The operator's link is looked up first: if it is lost, the witness need not release its own. Only
with `voiding` is the witness requested to sign that it will never release.
"""

import asyncio
from typing import Final, Protocol

from msgspec import Struct

from engine.fairness.canonical import canonical
from engine.fairness.records import CancelRecord
from engine.fairness.signing import CANCEL
from engine.fairness.witness_state import DeclineReason, Signed
from engine.house.game_day import Cause
from engine.rounds.commands import DrawRound, RuleVoid
from engine.rounds.state import Round, record_of
from engine.runtime.scheduler.hash_chains import ChainLost, HashChainStore
from engine.runtime.scheduler.witness import Witness, WitnessDeclined
from engine.runtime.secret_keys import OperatorKey

#: The witness will answer differently later, or the void that was begun is finished.
_TRANSIENT: Final = frozenset({"", DeclineReason.ROUND_STILL_OPEN, DeclineReason.ROUND_CANCELLED})
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


class Answers(Struct):
    """Both links and the witness's signatures, in hex; empty if missing.

    `answer` is the witness's reason for declining, also empty if it did not answer.
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
        """Returns the command that draws the round."""
        links = (self.operator_secret, self.witness_secret)
        return DrawRound(round_.opened.game, round_.issue, *links, self.released)

    def void(self, round_: Round) -> RuleVoid:
        """Returns the command that rules how the round is voided."""
        links = (self.operator_secret, self.witness_secret)
        signed = (self.released, self.cancelled)
        return RuleVoid(round_.opened.game, round_.issue, *links, *signed, self.answer)


async def request_links(parties: Parties, round_: Round, *, voiding: bool) -> Answers:
    """Returns both parties' answers about a closed round."""
    return await asyncio.to_thread(_request_links, parties, round_, voiding=voiding)


def _request_links(parties: Parties, round_: Round, *, voiding: bool) -> Answers:
    answers = Answers()
    try:
        answers.operator_secret = operator_link(parties.chains, round_).hex()
    except ChainLost:
        pass
    else:
        _release(parties, round_, answers)
    # A missing answer may be a lost release. So the release is retried, and never cancelled.
    declined = bool(answers.answer) and answers.answer not in _NEVER_CANCELLED
    if voiding and (declined or not answers.operator_secret):
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
    """Have the witness cancel a round; blocks. Returns the witness's link and its signature."""
    content = canonical(CancelRecord(day, str(game), index))
    request = Signed(content, parties.key.sign(CANCEL, content))
    return parties.witness.cancel(request)
