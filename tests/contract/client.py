"""An old, unchanged client, written only from the specification's calls and error catalogue.

It sends no idempotency keys, and sends its host and language with every call and its token with all
calls but two. It waits seven seconds for an answer and sends a call up to seven times, two seconds
apart.
"""

import json
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Final

import httpx

TIMEOUT_S: Final = 7
ATTEMPTS: Final = 7
BETWEEN_ATTEMPTS_S: Final = 2
HEARTBEAT_S: Final = 2
GIVES_UP_S: Final = 60
SUCCESS: Final = (1, 200)
RELOADS: Final = (50008, 50012, 50014)
WITHOUT_TOKEN: Final = ("user/login", "user/register")


class Rejected(Exception):  # noqa: N818 - what a screen is handed, to show its msg as a toast
    """An answer with any code but success; keeps the envelope's code and message."""

    def __init__(self, envelope: dict[str, Any]) -> None:
        super().__init__(str(envelope["msg"]))
        self.code: int = envelope["code"]
        self.msg: str = envelope["msg"]


class Reloaded(Rejected):
    """The session is invalid and the client reloads the page."""


class OldClient:
    """One phone. `as_form` sends bodies form-encoded, as some old clients do, otherwise JSON."""

    def __init__(self, address: str, *, lang: str = "en", as_form: bool = False) -> None:
        self.token = ""
        self.lang = lang
        self.attempts: list[str] = []
        self._address = address
        self._as_form = as_form
        self._http = httpx.Client(base_url=address, timeout=TIMEOUT_S)

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> Any:
        """Returns the data of a GET call. Raises Rejected for any code but success."""
        return self._envelope("GET", path, query)["data"]

    def post(self, path: str, **body: Any) -> Any:
        """Returns the data of a POST call. Raises Rejected for any code but success."""
        return self._envelope("POST", path, body)["data"]

    def envelope(self, path: str, **body: Any) -> dict[str, Any]:
        """Returns the envelope of a POST call whose msg is also needed."""
        return self._envelope("POST", path, body)

    def refusal(self, path: str, **body: Any) -> str:
        """Returns the msg that the screen shows as an error. Raises AssertionError if accepted."""
        try:
            self._envelope("POST", path, body)
        except Reloaded:
            raise
        except Rejected as rejected:
            return rejected.msg
        message = f"{path} was not refused"
        raise AssertionError(message)

    def signed_in(self, path: str, **body: Any) -> dict[str, Any]:
        """Log in or register, and store the session."""
        info: dict[str, Any] = self.post(path, **body)["userinfo"]
        self.token = info["token"]
        return info

    def hearts(self, *, every_s: float = HEARTBEAT_S, **room: Any) -> Iterator[dict[str, Any]]:
        """A heartbeat every two seconds. Raises TimeoutError after a minute."""
        ends = time.monotonic() + GIVES_UP_S
        while time.monotonic() < ends:
            yield self.post("Lottery/heart", **room)
            time.sleep(every_s)
        raise TimeoutError

    def heart_when(
        self, condition: Callable[[dict[str, Any]], bool], **room: Any
    ) -> dict[str, Any]:
        """The first heartbeat that satisfies the condition."""
        return next(heart for heart in self.hearts(**room) if condition(heart))

    def _envelope(self, method: str, path: str, payload: dict[str, Any]) -> dict[str, Any]:
        answer = _read(self._sent(method, path, payload))
        if answer["code"] in RELOADS:
            self.token = ""
            raise Reloaded(answer)
        if answer["code"] not in SUCCESS:
            raise Rejected(answer)
        return answer

    def _sent(self, method: str, path: str, payload: dict[str, Any]) -> bytes:
        for attempt in range(1, ATTEMPTS + 1):
            self.attempts.append(path)
            try:
                return self._http.send(self._request(method, path, payload)).content
            except httpx.TransportError:
                if attempt == ATTEMPTS:
                    raise
                time.sleep(BETWEEN_ATTEMPTS_S)
        raise AssertionError

    def _request(self, method: str, path: str, payload: dict[str, Any]) -> httpx.Request:
        fields = {**payload, "host": self._address, "lang": self.lang}
        headers = {} if path in WITHOUT_TOKEN else {"token": self.token}
        where = f"/api/{path}"
        if method == "GET":
            return self._http.build_request("GET", where, params=fields, headers=headers)
        if self._as_form:
            return self._http.build_request("POST", where, data=fields, headers=headers)
        return self._http.build_request("POST", where, json=fields, headers=headers)


def _read(content: bytes) -> dict[str, Any]:
    """The envelope; amounts keep the exact digits of the JSON text."""
    answer: dict[str, Any] = json.loads(content, parse_float=Decimal)
    assert type(answer["code"]) is int, answer
    assert isinstance(answer["msg"], str | dict), answer
    assert "data" in answer
    return answer
