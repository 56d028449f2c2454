"""Messages between a server and a witness elsewhere: JSON over HTTP, signed by both parties.

A request is signed by the operator's key and names the witness that it is for; an answer is signed
by the witness's key together with the request. So a third party can neither ask nor answer, and an
answer recorded earlier does not fit a new request, which has another nonce. The content is not
secret: a link of the witness says nothing about a draw without the operator's link.
"""

import secrets
from hashlib import sha256
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from engine.fairness.witness_state import Declined
from engine.runtime.witness.log_evidence import LogEvidence
from engine.runtime.witness.witness import WitnessStatus

PATH: Final = "/witness/v1"
SIGNATURE_HEADER: Final = "Fairdraw-Signature"
MAX_MESSAGE_BYTES: Final = 256 * 1024
REQUEST: Final = b"fairdraw/witness-request/v1\0"
"""The operator: this is my request. Over the body."""
ANSWER: Final = b"fairdraw/witness-answer/v1\0"
"""The witness: this is my answer to that request. H(request's body) || the answer's body."""
_NONCE_BYTES: Final = 16


class StatusRequest(Struct, frozen=True, tag="status"):
    """Asks for the witness's status of a day or segment."""

    game: str
    day: str


class CommitRequest(Struct, frozen=True, tag="commit"):
    """Asks for the anchor w_0 of a day of `rounds` rounds."""

    game: str
    day: str
    rounds: int


class SignDayRequest(Struct, frozen=True, tag="sign-day"):
    """Asks for the signature on a day's record; `signature` is the operator's."""

    content: bytes
    signature: bytes


class ReleaseRequest(Struct, frozen=True, tag="release"):
    """Asks for a round's link; `content` is its frozen record."""

    content: bytes
    signature: bytes
    evidence: LogEvidence | None = None


class CancelRequest(Struct, frozen=True, tag="cancel"):
    """Asks the witness to affirm that a round was not released and never will be."""

    content: bytes
    signature: bytes


Call: TypeAlias = StatusRequest | CommitRequest | SignDayRequest | ReleaseRequest | CancelRequest


class Request(Struct, frozen=True):
    """A call; `witness` is the public key of the witness that it is for, in hex.

    `at` is the operator's time, in microseconds since 1970; 0 if it states none.
    """

    witness: str
    nonce: bytes
    call: Call
    at: int = 0


class StatusAnswer(Struct, frozen=True, tag="status"):
    """The witness's status of a day or segment."""

    status: WitnessStatus


class AnchorAnswer(Struct, frozen=True, tag="anchor"):
    """The anchor w_0 of a day."""

    anchor: bytes


class SignatureAnswer(Struct, frozen=True, tag="signature"):
    """The signature on a day's record."""

    signature: bytes


class LinkAnswer(Struct, frozen=True, tag="link"):
    """A round's link, and the signature on its release or on its cancellation."""

    link: bytes
    signature: bytes


class DeclinedAnswer(Struct, frozen=True, tag="declined"):
    """The witness does not sign."""

    declined: Declined


class MalformedAnswer(Struct, frozen=True, tag="malformed"):
    """The call names no day or segment."""

    reason: str


Answer: TypeAlias = (
    StatusAnswer | AnchorAnswer | SignatureAnswer | LinkAnswer | DeclinedAnswer | MalformedAnswer
)


class AnswerMessage(Struct, frozen=True):
    """The body of an answer.

    `at` is what the clock of the witness's machine shows, in microseconds since 1970, even if the
    witness takes it to be wrong; 0 if it states nothing.
    """

    answer: Answer
    at: int = 0


def new_request(witness_key: bytes, call: Call, at: int) -> bytes:
    """Returns the body of a request, with a fresh nonce; `at` is the operator's time."""
    request = Request(witness_key.hex(), secrets.token_bytes(_NONCE_BYTES), call, at)
    return msgspec.json.encode(request)


def answer_payload(request: bytes, answer: bytes) -> bytes:
    """Returns what the witness signs, from the bodies of the request and the answer."""
    return sha256(request).digest() + answer
