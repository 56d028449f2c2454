"""A message about a paid order, signed, and its way to the house."""

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
    """The house did not answer; tell it again later."""


@dataclass(frozen=True)
class Message:
    """Bytes as they are sent, with the two headers that belong to them."""

    body: bytes
    timestamp: str
    signature: str

    @property
    def headers(self) -> dict[str, str]:
        """What goes with the body."""
        return {
            "Content-Type": "application/json",
            "gateway-timestamp": self.timestamp,
            "gateway-signature": self.signature,
        }


def signed(secret: bytes, timestamp: str, body: bytes) -> Message:
    """A message of this time: HMAC-SHA256 over the timestamp, a full stop and the body."""
    words = timestamp.encode() + b"." + body
    return Message(body, timestamp, hmac.new(secret, words, sha256).hexdigest())


@dataclass(frozen=True)
class Gateway:
    """Who tells the house at `address`; `secret` is shared with it, `clock` gives seconds."""

    address: str
    secret: bytes
    clock: Callable[[], float] = time.time

    def message(self, order: str, amount: str, nonce: str | None = None) -> Message:
        """The word that `amount` u were paid for an order; without a nonce it gets a new one."""
        fields = {"order": order, "amount": amount, "nonce": nonce or secrets.token_hex(16)}
        return self.sign(json.dumps(fields).encode())

    def sign(self, body: bytes) -> Message:
        """A body of now."""
        return signed(self.secret, str(int(self.clock())), body)

    def send(self, message: Message) -> dict[str, Any]:
        """The house's envelope for one message, sent once; OSError when there is none."""
        request = urllib.request.Request(  # noqa: S310 - the address is the operator's
            f"{self.address}{PATH}", message.body, message.headers
        )
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            with error:
                if error.code == _TOO_MANY or error.code >= _FAULT:
                    raise OSError("the house cannot answer now") from None
                return dict(json.load(error))

    def notify(self, order: str, amount: str) -> dict[str, Any]:
        """The house's envelope, asked for until there is one.

        Each try is a message of its own, with a nonce of its own: one whose answer was lost would
        be refused as repeated, and the house credits an order once, however often it is told.

        Raises:
            NotToldError: the house answered none of several tries.
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
        """The same gateway when its clock shows these seconds."""
        return replace(self, clock=lambda: seconds)
