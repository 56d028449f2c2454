"""Thousands of requests generated from the OpenAPI description, by every kind of caller.

Some are valid for the caller, some are valid with a few fields replaced, and some are generated
completely. None may cause a server error, and every answer must match the description. Every call
must succeed at least once; the run's report has the count.
"""

from collections.abc import Callable
from typing import Any, Final

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.http.asgi_app import CALLS, described
from tests.api.support import new_key
from tests.probing.matrix import CALLERS, ROWS
from tests.probing.scene import Body, Headers, Scene
from tests.probing.wishes import WISHES

# The server runs in this process and draws random numbers while hypothesis does.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Do not use the .random. module"),
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),
]
NORMAL, LONG = 3_000, 50_000
REQUESTS = LONG if settings().max_examples > 100 else NORMAL
EACH = -(-REQUESTS // len(ROWS))
#: How much more often callers send requests that the table permits.
FAVOUR: Final = 4
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ABSENT: Final = object()
#: Invalid values for a field.
JUNK: Final = st.one_of(
    st.just(ABSENT),
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=300),
    st.sampled_from(("", "-1", "NaN", "1e9", "\x00", "\u202e", "9" * 30, "' OR 1=1 --", "<b>")),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
CALLED = [(call.method, call.path) for call in CALLS]
SCHEMA = schemathesis.openapi.from_dict(described())
OPERATIONS: dict[str, Any] = {path: SCHEMA[path][method] for method, path in CALLED}


class ProbeCaller:
    """One caller of one call, who sends many requests, with a new scene after each success."""

    def __init__(self, scenes: Callable[[], Scene], path: str, caller: str) -> None:
        self.path = path
        self._scenes = scenes
        self._caller = caller
        self._scene: Scene | None = None
        self._wish: Body = {}
        self._headers: Headers = {}
        self.sent = self.done = 0

    def _ready(self) -> Scene:
        """Returns a scene in which the wish is still open. Made late, because wishes take time."""
        if self._scene is None:
            self._scene = self._scenes()
            self._wish = WISHES[self.path](self._scene)
            self._headers = self._scene.headers(self._caller)
        return self._scene

    def send(self, case: Case[Any], session: requests.Session, change: Body | None = None) -> None:
        """Send the generated request, or the wish with this change. ABSENT removes a field."""
        house = self._ready().house
        if change is not None and case.method == "POST":
            body = {**self._wish, **change}
            case.body = {name: value for name, value in body.items() if value is not ABSENT}
            case.media_type = case.media_type or "application/json"
        for name in _OWN_HEADERS:
            case.headers.pop(name, None)
        headers = {**self._headers, "Idempotency-Key": new_key()}
        response = case.call(base_url=house.url, session=session, headers=headers)
        case.validate_response(response, checks=CHECKS)
        self.sent += 1
        if response.json()["code"] == 1:
            self.done += 1
            self._scene = None


#: Calls that cannot succeed on this server; each has its own tests.
_TESTED_ELSEWHERE: Final = frozenset(
    {
        # A signed gateway message is not generated twice: tests/api/test_gateway.py.
        "/api/gateway/notify",
        # A draw is overdue only if the witness has lost its records, which would stop all other
        # rounds of the server: tests/api/test_office_rounds.py.
        "/api/office/roundVoid",
        "/api/office/roundVoidDecision",
    }
)
_OWN_HEADERS: Final = frozenset({"token", "office", "idempotency-key", "cookie"})


@pytest.mark.parametrize("path", ROWS)
def test_every_answer_is_as_described_and_none_is_a_fault(
    scenes: Callable[[], Scene], path: str, record_property: Callable[[str, object], None]
) -> None:
    """Each caller sends the valid request first, then many variations."""
    operation = OPERATIONS[path]
    callers = {caller: ProbeCaller(scenes, path, caller) for caller in CALLERS}
    changes: st.SearchStrategy[Body | None] = st.none()
    if parts := sorted(WISHES[path](scenes())):
        changes |= st.just({}) | st.dictionaries(st.sampled_from(parts), JUNK)
    with requests.Session() as session:
        for caller_probe in callers.values():
            caller_probe.send(operation.Case(), session, {})

        @settings(
            max_examples=EACH,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(
            case=operation.as_strategy(), change=changes, caller=st.sampled_from(_weighted(path))
        )
        def probe(case: Case[Any], change: Body | None, caller: str) -> None:
            callers[caller].send(case, session, change)

        probe()
    sent = sum(caller_probe.sent for caller_probe in callers.values())
    done = sum(caller_probe.done for caller_probe in callers.values())
    record_property("sent", sent)
    record_property("done", done)
    assert sent >= EACH
    assert done or path in _TESTED_ELSEWHERE


def _weighted(path: str) -> list[str]:
    """The callers, weighted by whether the table permits the call."""
    return [who for who in CALLERS for _ in range(1 if ROWS[path][who] else FAVOUR)]
