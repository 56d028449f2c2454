"""HTTP client of the server, with a pass or with the secret of the server's machine."""

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

from scripts.devtools.paths import as_typed

_TIMEOUT_S = 10
_TRIES = 5
_PAUSE_S = 1.0
_TOO_MANY, _FAULT = 429, 500


class RefusedError(Exception):
    """The server refused the command; the message gives the reason."""


class NoResponseError(Exception):
    """No response, so the outcome is unknown; a retry with the same key finds out."""


class ServerUnreachableError(Exception):
    """No server listens at the address, so nothing was changed; the message names the address."""


class OfficeClient:
    """A server and its caller. An idempotency key makes every command safe to repeat."""

    def __init__(
        self, data: Path, staff: str, key: str, pass_token: str = "", address: str = ""
    ) -> None:
        """Find the server of this data folder; SystemExit if none was started there.

        Without a `pass_token`, the machine's secret is used, if the caller can read it. With an
        `address` the server may be elsewhere. `staff` is a name, or empty if none is needed.
        """
        keys = data / "keys"
        try:
            self._secret = pass_token or (keys / "office.key").read_bytes().hex()
            self._address = address or (keys / "address").read_text().strip()
        except FileNotFoundError:
            sys.exit(
                f"no server has been started on {data}: start it with {as_typed('scripts/run')},"
                " or name another folder with --data"
            )
        except PermissionError as error:
            sys.exit(f"{error.filename} cannot be read: use your own pass")
        self._proxies: dict[str, str] | None = None if address else {}
        self._staff = staff
        self._key = key

    def request(self, call: str, body: dict[str, Any]) -> dict[str, Any]:
        """Returns the envelope of a successful call.

        Raises:
            RefusedError: the server refused it.
            NoResponseError: the server did not respond to several tries.
            ServerUnreachableError: no try reached the server.
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
                print(f"no response ({cause}): retrying", file=sys.stderr)
                continue
            reached = True
            if status != _TOO_MANY and status < _FAULT:
                return _accepted(envelope)
            print(f"{envelope['msg']}: retrying", file=sys.stderr)
        raise NoResponseError if reached else ServerUnreachableError(self._address)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The server's time zone; UTC if it does not respond, as the command is already done."""
        request = urllib.request.Request(  # noqa: S310 - the server's own address
            f"{self._address}/api/index/index"
        )
        try:
            _, envelope = self._opened(request)
            return ZoneInfo(envelope["data"]["timezone"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            return ZoneInfo("UTC")

    def _send(self, call: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(  # noqa: S310 - the server's own address
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
        # The machine's proxy settings are for remote hosts, not for this machine.
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
