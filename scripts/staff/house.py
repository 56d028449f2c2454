"""Asking a house, with a pass or with the secret of the machine that it runs on."""

import http.client
import json
import sys
import time
import urllib.error
import urllib.request
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

_TIMEOUT_S = 10
_TRIES = 5
_PAUSE_S = 1.0
_TOO_MANY, _FAULT = 429, 500


class RefusedError(Exception):
    """The house said no; the message says why."""


class NoResponseError(Exception):
    """Nobody knows what became of it; the same key again finds out."""


class ServerUnreachableError(Exception):
    """Nothing listens at the address, so that nothing was done; the message names it."""


class OfficeClient:
    """A house, and who asks it. Every command carries a key, so that repeating it is safe."""

    def __init__(
        self, data: Path, staff: str, key: str, shown: str = "", address: str = ""
    ) -> None:
        """A house on this data folder; SystemExit if none was started there.

        `shown` is a pass; without one, whoever can read the machine's secret asks with that. With
        an `address` the house may be elsewhere. `staff` is a name, or empty where none is needed.
        """
        keys = data / "keys"
        try:
            self._secret = shown or (keys / "office.key").read_bytes().hex()
            self._address = address or (keys / "address").read_text().strip()
        except FileNotFoundError:
            sys.exit(
                f"no house has been started on {data}: start it with scripts/run,"
                " or name another folder with --data"
            )
        except PermissionError as error:
            sys.exit(f"{error.filename} cannot be read: ask with a pass of your own")
        self._proxies: dict[str, str] | None = None if address else {}
        self._staff = staff
        self._key = key

    def request(self, call: str, body: dict[str, Any]) -> dict[str, Any]:
        """The envelope of a call's success.

        Raises:
            RefusedError: the house said no.
            NoAnswerError: it did not answer, although it was asked several times.
            NobodyThereError: it could not be asked once.
        """
        reached = False
        for tried in range(_TRIES):
            if tried:
                time.sleep(_PAUSE_S)
            try:
                status, envelope = self._send(call, body)
            except (OSError, http.client.HTTPException, ValueError) as error:
                cause = error.reason if isinstance(error, urllib.error.URLError) else error
                reached = reached or not isinstance(cause, ConnectionRefusedError)
                print(f"no answer ({cause}): asking again", file=sys.stderr)
                continue
            reached = True
            if status != _TOO_MANY and status < _FAULT:
                return _accepted(envelope)
            print(f"{envelope['msg']}: asking again", file=sys.stderr)
        raise NoResponseError if reached else ServerUnreachableError(self._address)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The house's time zone; UTC if it does not answer, as what was asked is done by then."""
        request = urllib.request.Request(  # noqa: S310 - the address is the house's own
            f"{self._address}/api/index/index"
        )
        try:
            _, envelope = self._opened(request)
            return ZoneInfo(envelope["data"]["timezone"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            return ZoneInfo("UTC")

    def _send(self, call: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(  # noqa: S310 - the address is the house's own
            f"{self._address}/api/office/{call}",
            json.dumps({"staff": self._staff, **body}).encode(),
            {
                "Content-Type": "application/json",
                "Idempotency-Key": self._key,
                "office": self._secret,
            },
        )
        return self._opened(request)

    def _opened(self, request: urllib.request.Request) -> tuple[int, dict[str, Any]]:
        # What the machine's proxy settings say is for the way out, not for this very machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler(self._proxies))
        try:
            with opener.open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, _decoded(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _decoded(error.read())


def _decoded(content: bytes) -> dict[str, Any]:
    return dict(json.loads(content, parse_float=Decimal))


def _accepted(envelope: dict[str, Any]) -> dict[str, Any]:
    if envelope["code"] == 1:
        return envelope
    field = f" ({envelope['field']})" if "field" in envelope else ""
    raise RefusedError(f"{envelope['reason']}: {envelope['msg']}{field}")
