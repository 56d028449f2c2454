"""The witness's HTTP interface: one signed call, and what anyone may know about it."""

import asyncio
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Coroutine
from typing import Any, Final, NoReturn

import msgspec
import structlog
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from litestar import Litestar, Request, get, post
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.response import Response
from msgspec import Struct

from engine.fairness import checkpoints, cosigning, signing
from engine.fairness.cosigning import CosignRefusedError
from engine.fairness.witness_state import DeclineReason, Signed
from engine.runtime import supervision
from engine.runtime.clock import GuardedClock
from engine.runtime.witness import messages
from engine.runtime.witness.local_witness import LocalWitness
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
)
from engine.runtime.witness.witness import WitnessDeclined

_HEADER_TIMEOUT_MS: Final = 10_000
_STOP_TIMEOUT_S: Final = 1.0
# Made at import: msgspec crashes if several threads decode a type for the first time at once.
_decode_request: Final = msgspec.json.Decoder(messages.Request).decode
_log = structlog.get_logger()


class About(Struct, frozen=True):
    """The witness's name, its key as C2SP writes it, and the operator's key in hex."""

    name: str
    key: str
    operator: str


class WitnessServer:
    """Answers the operator's calls from a `LocalWitness`."""

    def __init__(
        self, witness: LocalWitness, operator: bytes, clock: GuardedClock | None = None
    ) -> None:
        """`operator` is the only public key whose requests are answered.

        The `clock` is the witness's: each request states the operator's time to it.
        """
        self._witness = witness
        self._operator = operator
        self._clock = GuardedClock() if clock is None else clock
        key = checkpoints.cosigner_key(witness.name, witness.public)
        self.about = About(witness.name, key, operator.hex())

    def answer(self, body: bytes, signed: str) -> tuple[bytes, str]:
        """Returns the body of the answer and its signature. Raises HTTPException if there is none.

        An OSError of the store, for example of a full disk, is a status 503: nothing was signed.
        """
        try:
            signature = b64decode(signed, validate=True)
        except ValueError:
            signature = b""
        if not signing.verify(self._operator, REQUEST, body, signature):
            raise HTTPException("the operator has not signed the request", status_code=403)
        try:
            request = _decode_request(body)
        except msgspec.MsgspecError as error:
            raise HTTPException(f"the request is malformed: {error}", status_code=400) from None
        if request.witness != self._witness.public.hex():
            raise HTTPException("the request is for another witness", status_code=403)
        if request.at:
            self._clock.note_stated(request.at)
        try:
            decision = self._decide(request.call)
            content = msgspec.json.encode(AnswerMessage(decision, self._clock.uncorrected()))
        except OSError as error:
            _log.error("witness cannot store", error=repr(error))
            raise HTTPException("the witness cannot store its answer", status_code=503) from None
        signature = self._witness.sign(ANSWER, answer_payload(body, content))
        return content, b64encode(signature).decode()

    def cosign(self, body: bytes) -> str:
        """Returns the line of the cosignature on a checkpoint (C2SP tlog-witness).

        Anyone may send it, because the operator has signed it. Raises CosignRefusedError.
        """
        request = cosigning.read_request(body.decode(errors="replace"))
        try:
            return self._witness.cosign(request, self._operator).line()
        except OSError as error:
            _log.error("witness cannot store", error=repr(error))
            raise HTTPException(
                "the witness cannot store the checkpoint", status_code=503
            ) from None

    def _decide(self, call: Call) -> Answer:
        try:
            answer = self._answer(call)
        except WitnessDeclined as declined:
            # A slow start may miss the first round of a day; any other reason is a fault.
            late = declined.declined.reason == DeclineReason.DAY_LATE
            log = _log.info if late else _log.warning
            log("declined", call=type(call).__name__, reason=declined.declined.reason)
            return DeclinedAnswer(declined.declined)
        except ValueError as error:
            return MalformedAnswer(str(error))
        return answer

    def _answer(self, call: Call) -> Answer:
        match call:
            case StatusRequest(game, day):
                return StatusAnswer(self._witness.status(game, day))
            case CommitRequest(game, day, rounds):
                return AnchorAnswer(self._witness.commit(game, day, rounds))
            case SignDayRequest(content, signature):
                request = Signed(content, signature)
                return SignatureAnswer(self._witness.sign_day(request, self._operator))
            case ReleaseRequest(content, signature, evidence):
                return LinkAnswer(*self._witness.release(Signed(content, signature), evidence))
            case CancelRequest(content, signature):
                return LinkAnswer(*self._witness.cancel(Signed(content, signature)))


def create_app(server: WitnessServer) -> Litestar:
    """Returns the ASGI application."""

    @post(PATH, status_code=200)
    async def call(request: Request[None, None, State]) -> Response[bytes]:
        body = await request.body()
        signature = request.headers.get(SIGNATURE_HEADER, "")
        content, signed = await asyncio.to_thread(server.answer, body, signature)
        headers = {SIGNATURE_HEADER: signed}
        return Response(content, media_type="application/json", headers=headers)

    @post(cosigning.PATH, status_code=200)
    async def cosign(request: Request[None, None, State]) -> Response[str]:
        try:
            line = await asyncio.to_thread(server.cosign, await request.body())
        except CosignRefusedError as refused:
            _log.warning("not cosigned", reason=str(refused))
            if refused.status == cosigning.CONFLICT:
                size, kind = f"{refused.size}\n", cosigning.CONFLICT_TYPE
                return Response(size, media_type=kind, status_code=cosigning.CONFLICT)
            raise HTTPException(str(refused), status_code=refused.status) from None
        return Response(line, media_type="text/plain; charset=utf-8")

    @get("/", sync_to_thread=False)
    def about() -> About:
        return server.about

    return Litestar(
        [call, cosign, about], openapi_config=None, request_max_body_size=MAX_MESSAGE_BYTES
    )


async def serve(
    app: Litestar, host: str, port: int, stop: asyncio.Event, clock: GuardedClock | None = None
) -> None:
    """Serve until `stop` is set, and keep the `clock` of the witness right."""
    server = Server(
        app,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        websockets=False,
        log_enabled=False,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=_HEADER_TIMEOUT_MS),
    )
    serving = supervision.owned(server.serve())
    stopping = supervision.owned(stop.wait())
    following = supervision.owned(clock.watch_alone()) if clock is not None else None
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if following is not None:
        following.cancel()
    server.stop()  # type: ignore[no-untyped-call]  # granian has no types here
    await asyncio.wait({serving}, timeout=_STOP_TIMEOUT_S)


def run_and_exit(serving: Coroutine[Any, Any, None]) -> NoReturn:
    """Run this until it ends, then end the process with status 0.

    The interpreter does not shut down: granian's thread, which may end a little later, would abort
    the process. Every answer is on disk before it is sent, so nothing is left to write.
    """
    asyncio.run(serving)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
