"""The client of a witness on another machine.

Every failure to get an answer that the witness has signed is an OSError: the server then waits for
the witness and asks the same again.
"""

import http.client
import urllib.error
import urllib.request
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec
import structlog
from msgspec import Struct

from engine.fairness import checkpoints, signing
from engine.fairness.witness_state import Signed
from engine.runtime.clock import TOLERANCE_US, wall_clock
from engine.runtime.witness.log_evidence import LogEvidence
from engine.runtime.witness.messages import (
    ANSWER,
    MAX_MESSAGE_BYTES,
    PATH,
    REQUEST,
    SIGNATURE_HEADER,
    AnchorAnswer,
    Answer,
    AnswerMessage,
    Call,
    CancelRequest,
    CommitRequest,
    DeclinedAnswer,
    LinkAnswer,
    MalformedAnswer,
    ReleaseRequest,
    SignatureAnswer,
    SignDayRequest,
    StatusAnswer,
    StatusRequest,
    answer_payload,
    new_request,
)
from engine.runtime.witness.witness import WitnessDeclined, WitnessStatus

TIMEOUT_S: Final = 3.0
_ANY_GAME: Final = "1"
# Made at import: msgspec crashes if several threads decode a type for the first time at once.
_decode_answer: Final = msgspec.json.Decoder(AnswerMessage).decode
_Wanted = TypeVar("_Wanted")
_log = structlog.get_logger()


class WitnessAddress(Struct, frozen=True):
    """Where a witness listens, its name, and its raw public key."""

    url: str
    name: str
    public: bytes

    @classmethod
    def of(cls, text: str) -> "WitnessAddress":
        """Returns the address of `URL#KEY`; `KEY` is a C2SP verifier key of a cosigner.

        Raises ValueError for any other text.
        """
        url, separator, key = text.partition("#")
        parts = urlsplit(url)
        if not separator or parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("not an address followed by # and a key")
        name, public = checkpoints.read_cosigner_key(key)
        return cls(url.rstrip("/"), name, public)

    def text(self) -> str:
        """Returns the text from which `of` reads it."""
        return f"{self.url}#{checkpoints.cosigner_key(self.name, self.public)}"


class RemoteWitness:
    """A witness that is asked over HTTP."""

    def __init__(
        self,
        address: WitnessAddress,
        sign: Callable[[bytes, bytes], bytes],
        clock: Callable[[], int] = wall_clock,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """`sign` makes the operator's signature over a domain and a payload.

        `clock` is the operator's, in microseconds since 1970; each request states its time.
        """
        self._address = address
        self._sign = sign
        self._clock = clock
        self._timeout_s = timeout_s
        self.public = address.public
        #: By how many seconds the clock of the witness's machine was last ahead of the operator's.
        self.clock_ahead_s = 0.0

    def status(self, game: str, day: str) -> WitnessStatus:
        """Returns its status of a day or segment. Raises ValueError for a malformed name."""
        return self._ask(StatusRequest(game, day), StatusAnswer).status

    def commit(self, game: str, day: str, rounds: int) -> bytes:
        """Returns the anchor w_0 of a day's chain; its tail is durable by then."""
        return self._ask(CommitRequest(game, day, rounds), AnchorAnswer).anchor

    def sign_day(self, request: Signed, operator_key: bytes) -> bytes:
        """Returns the signature on a day's record. Raises WitnessDeclined if it does not sign.

        The witness knows the operator's key from its own settings, not from `operator_key`.
        """
        del operator_key
        call = SignDayRequest(request.content, request.signature)
        return self._ask(call, SignatureAnswer).signature

    def release(self, request: Signed, evidence: LogEvidence | None = None) -> tuple[bytes, bytes]:
        """Returns a round's link and the signature on its frozen set, or raises WitnessDeclined."""
        call = ReleaseRequest(request.content, request.signature, evidence)
        found = self._ask(call, LinkAnswer)
        return found.link, found.signature

    def cancel(self, request: Signed) -> tuple[bytes, bytes]:
        """Returns a cancelled round's link and the signature on it, or raises WitnessDeclined."""
        found = self._ask(CancelRequest(request.content, request.signature), LinkAnswer)
        return found.link, found.signature

    def agrees_on_time(self) -> bool:
        """Whether the clock of its machine shows the operator's time; False if it states none.

        The request does not state the operator's time, which is in doubt. Raises OSError without
        an answer.
        """
        day = datetime.fromtimestamp(self._clock() // 1_000_000, UTC).date().isoformat()
        _, agrees = self._send(StatusRequest(_ANY_GAME, day), is_time_stated=False)
        return agrees

    def _ask(self, call: Call, wanted: type[_Wanted]) -> _Wanted:
        answer, _ = self._send(call)
        if isinstance(answer, wanted):
            return answer
        if isinstance(answer, DeclinedAnswer):
            raise WitnessDeclined(answer.declined)
        if isinstance(answer, MalformedAnswer):
            raise ValueError(answer.reason)  # noqa: TRY004 - as the interface has it
        raise OSError(f"the witness answered {type(answer).__name__}")

    def _send(self, call: Call, *, is_time_stated: bool = True) -> tuple[Answer, bool]:
        """Returns the answer, and whether the clock of its machine agrees with the operator's."""
        began = self._clock()
        stated = began if is_time_stated else 0
        message = self._answer(new_request(self._address.public, call, stated))
        return message.answer, self._compare_clocks(message.at, began, self._clock())

    def _compare_clocks(self, at: int, began: int, ended: int) -> bool:
        if not at or ended - began > TOLERANCE_US:
            return False  # it states nothing, or answered too slowly to tell
        was_right = abs(self.clock_ahead_s) * 1e6 <= TOLERANCE_US
        ahead_us = at - (began + ended) // 2
        self.clock_ahead_s = ahead_us / 1e6
        is_right = abs(ahead_us) <= TOLERANCE_US
        if was_right != is_right:
            log = _log.warning if was_right else _log.info
            log("witness's clock compared", witness=self._address.name, ahead_s=self.clock_ahead_s)
        return is_right

    def _answer(self, body: bytes) -> AnswerMessage:
        signature = b64encode(self._sign(REQUEST, body)).decode()
        headers = {"Content-Type": "application/json", SIGNATURE_HEADER: signature}
        content, signed = post(self._address.url + PATH, body, headers, self._timeout_s)
        payload = answer_payload(body, content)
        if not signing.verify(self._address.public, ANSWER, payload, _decoded(signed)):
            raise OSError("the answer is not signed by the witness")
        try:
            return _decode_answer(content)
        except msgspec.MsgspecError as error:
            raise OSError(f"the witness's answer is malformed: {error}") from None


def post(url: str, body: bytes, headers: dict[str, str], timeout_s: float) -> tuple[bytes, str]:
    """Returns the answer's body and its signature header.

    Raises HTTPError for another status than 200, which is an OSError too, and OSError if nothing
    complete arrived in time.
    """
    request = urllib.request.Request(url, body, headers, method="POST")  # noqa: S310 - http or https
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as answer:  # noqa: S310
            content = answer.read(MAX_MESSAGE_BYTES + 1)
            signature = answer.headers.get(SIGNATURE_HEADER, "")
    except (http.client.HTTPException, ValueError) as error:
        raise OSError(f"no answer from {url}: {error!r}") from error
    if len(content) > MAX_MESSAGE_BYTES:
        raise OSError(f"the answer from {url} is too long")
    return content, signature


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return b""
