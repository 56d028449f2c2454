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
from engine.fairness.witness_state import Objection, Signed
from engine.house.decisions import Cause
from engine.rounds.commands import DrawRound, RuleVoid
from engine.rounds.state import Round, record_of
from engine.runtime.chains import ChainLost, Chains
from engine.runtime.keys import OperatorKey
from engine.runtime.witness_port import Witness, WitnessDeclined

#: The witness will answer otherwise later, or the void that was begun is finished.
_PASSING: Final = frozenset({"", Objection.ROUND_STILL_OPEN, Objection.ROUND_CANCELLED})
#: It says of these that it released its link, or that it may still do so.
_NEVER_CANCELLED: Final = frozenset({Objection.ROUND_STILL_OPEN, Objection.ROUND_FROZEN_OTHERWISE})


class Parties(Protocol):
    """The operator with its key and chains, and the witness."""

    @property
    def key(self) -> OperatorKey:
        """The operator's key."""

    @property
    def chains(self) -> Chains:
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
        return "" if self.answer in _PASSING else self.answer

    def draw(self, sale: Round) -> DrawRound:
        """The command that draws the round."""
        links = (self.operator_secret, self.witness_secret)
        return DrawRound(sale.opened.game, sale.issue, *links, self.released)

    def void(self, sale: Round) -> RuleVoid:
        """The command that rules how the round is voided."""
        links = (self.operator_secret, self.witness_secret)
        signed = (self.released, self.cancelled)
        return RuleVoid(sale.opened.game, sale.issue, *links, *signed, self.answer)


async def ask(parties: Parties, sale: Round, *, voiding: bool) -> Answers:
    """Both parties' answers about a closed round."""
    return await asyncio.to_thread(_ask, parties, sale, voiding=voiding)


def _ask(parties: Parties, sale: Round, *, voiding: bool) -> Answers:
    answers = Answers()
    try:
        answers.operator_secret = own_link(parties.chains, sale).hex()
    except ChainLost:
        pass
    else:
        _release(parties, sale, answers)
    # No answer may be a lost answer: the release is asked for again, and never cancelled.
    declined = bool(answers.answer) and answers.answer not in _NEVER_CANCELLED
    if voiding and (declined or not answers.operator_secret):
        _cancel(parties, sale, answers)
    return answers


def own_link(chains: Chains, sale: Round) -> bytes:
    """The operator's link of a round; ChainLost unless it leads to what the day committed to."""
    opened, segment = sale.opened, sale.segment
    links = chains.links(opened.game, opened.day)
    if segment is not None and links[0].hex() != segment.operator_commitment:
        raise ChainLost((opened.game, opened.day))
    return links[opened.index]


def _release(parties: Parties, sale: Round, answers: Answers) -> None:
    assert sale.closed is not None
    request = Signed(canonical(record_of(sale.closed)), bytes.fromhex(sale.closed.signature))
    try:
        theirs, signature = parties.witness.release(request)
    except WitnessDeclined as declined:
        answers.answer = declined.declined.objection
    except OSError:
        answers.answer = ""
    else:
        answers.witness_secret, answers.released = theirs.hex(), signature.hex()


def _cancel(parties: Parties, sale: Round, answers: Answers) -> None:
    opened = sale.opened
    try:
        theirs, signature = cancel(parties, opened.day, opened.game, opened.index)
    except WitnessDeclined as declined:
        answers.answer = declined.declined.objection
    except OSError:
        answers.answer = ""
    else:
        answers.witness_secret, answers.cancelled = theirs.hex(), signature.hex()


def cancel(parties: Parties, day: str, game: int, index: int) -> tuple[bytes, bytes]:
    """The witness's link of a round that it will never release, and what it signed; blocks."""
    content = canonical(CancelRecord(day, str(game), index))
    request = Signed(content, parties.key.sign(CANCEL, content))
    return parties.witness.cancel(request)
