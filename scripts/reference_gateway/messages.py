"""Signed messages about paid orders, and their delivery to the server."""

import hmac
import http.client
import json
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

PATH = "/api/gateway/notify"
_TIMEOUT_S = 10
_TRIES = 5
_PAUSE_S = 1.0
_TOO_MANY, _FAULT = 429, 500


class NotDeliveredError(Exception):
    """The server did not respond; notify it again later."""


@dataclass(frozen=True)
class Message:
    """The exact bytes of the body, with its two headers."""

    body: bytes
    timestamp: str
    signature: str

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers of the body."""
        return {
            "Content-Type": "application/json",
            "gateway-timestamp": self.timestamp,
            "gateway-signature": self.signature,
        }


def signed(secret: bytes, timestamp: str, body: bytes) -> Message:
    """Sign a message at this time: HMAC-SHA256 over the timestamp, a full stop and the body."""
    words = timestamp.encode() + b"." + body
    return Message(body, timestamp, hmac.new(secret, words, sha256).hexdigest())


@dataclass(frozen=True)
class Gateway:
    """Notifies the server at `address`; `secret` is shared with it, `clock` returns seconds."""

    address: str
    secret: bytes
    clock: Callable[[], float] = time.time

    def message(self, order: str, amount: str, nonce: str | None = None) -> Message:
        """Returns a message that `amount` u were paid for an order; by default with a new nonce."""
        fields = {"order": order, "amount": amount, "nonce": nonce or secrets.token_hex(16)}
        return self.sign(json.dumps(fields).encode())

    def sign(self, body: bytes) -> Message:
        """Sign a body with the current time."""
        return signed(self.secret, str(int(self.clock())), body)

    def send(self, message: Message) -> dict[str, Any]:
        """Send a message once; returns the response's envelope, raises OSError if there is none."""
        request = urllib.request.Request(  # noqa: S310 - the address is the operator's
            f"{self.address}{PATH}", message.body, message.headers
        )
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            with error:
                if error.code == _TOO_MANY or error.code >= _FAULT:
                    raise OSError("the server cannot respond now") from None
                return dict(json.load(error))

    def notify(self, order: str, amount: str) -> dict[str, Any]:
        """Send until there is a response, and return its envelope.

        Each try is a new message with a new nonce, because a repeated one would be refused if only
        its response was lost. The server credits an order once, however often it is notified.

        Raises:
            NotDeliveredError: there was no response to any try.
        """
        for tried in range(_TRIES):
            if tried:
                time.sleep(_PAUSE_S)
            try:
                return self.send(self.message(order, amount))
            except (OSError, http.client.HTTPException, ValueError):
                continue
        raise NotDeliveredError

    def at(self, seconds: float) -> "Gateway":
        """Returns the same gateway with its clock fixed at these seconds."""
        return replace(self, clock=lambda: seconds)
