"""Requests made from the OpenAPI by the thousand, by every kind of caller.

Some are what a caller could rightly ask, some the same with a few parts made up, some made up from
end to end. None may end in a fault, and every answer is what the description promises. So that it
is not all refusals, every call must have succeeded; how often it did stands in the run's report.
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

from api.openapi.document import description
from api.web import CALLS
from tests.api.support import new_key
from tests.probing.matrix import CALLERS, ROWS
from tests.probing.scene import Body, Headers, Scene
from tests.probing.wishes import WISHES

# The house runs in this process and draws random numbers while hypothesis does.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the .random. module")
NORMAL, LONG = 3_000, 50_000
REQUESTS = LONG if settings().max_examples > 100 else NORMAL
EACH = -(-REQUESTS // len(ROWS))
#: Callers whom the table lets in ask so many times as often as those whom it does not.
FAVOUR: Final = 4
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ABSENT: Final = object()
#: What nobody should send in the place of a part.
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
SCHEMA = schemathesis.openapi.from_dict(description(CALLS))
OPERATIONS: dict[str, Any] = {path: SCHEMA[path][method] for method, path in CALLED}


class ProbeCaller:
    """One caller of one call, who asks again and again; what is done is not asked for twice."""

    def __init__(self, scenes: Callable[[], Scene], path: str, caller: str) -> None:
        self.path = path
        self._scenes = scenes
        self._caller = caller
        self._scene: Scene | None = None
        self._wish: Body = {}
        self._headers: Headers = {}
        self.sent = self.done = 0

    def _ready(self) -> Scene:
        """A scene in which what is wished for is not done yet: made late, for wishes take time."""
        if self._scene is None:
            self._scene = self._scenes()
            self._wish = WISHES[self.path](self._scene)
            self._headers = self._scene.headers(self._caller)
        return self._scene

    def ask(self, case: Case[Any], session: requests.Session, change: Body | None = None) -> None:
        """Send what was made up, or the wish with this change; what is now ABSENT is not sent."""
        house = self._ready().house
        if change is not None and case.method == "POST":
            body = {**self._wish, **change}
            case.body = {name: value for name, value in body.items() if value is not ABSENT}
            case.media_type = case.media_type or "application/json"
        for name in _OURS:
            case.headers.pop(name, None)
        headers = {**self._headers, "Idempotency-Key": new_key()}
        response = case.call(base_url=house.url, session=session, headers=headers)
        case.validate_response(response, checks=CHECKS)
        self.sent += 1
        if response.json()["code"] == 1:
            self.done += 1
            self._scene = None


#: Calls that cannot succeed in this house; each has its own tests.
_TESTED_ELSEWHERE: Final = frozenset(
    {
        # A message that a gateway signed is not made up twice: tests/api/test_gateway.py.
        "/api/gateway/notify",
        # A draw is overdue only where the witness has lost its journal, which would stop all
        # other rounds of the house: tests/api/test_office_rounds.py.
        "/api/office/roundVoid",
        "/api/office/roundVoidDecision",
    }
)
_OURS: Final = frozenset({"token", "office", "idempotency-key", "cookie"})


@pytest.mark.parametrize("path", ROWS)
def test_every_answer_is_as_described_and_none_is_a_fault(
    scenes: Callable[[], Scene], path: str, record_property: Callable[[str, object], None]
) -> None:
    """Everybody asks for what could be right as it stands, and then again and again otherwise."""
    operation = OPERATIONS[path]
    askers = {caller: ProbeCaller(scenes, path, caller) for caller in CALLERS}
    changes: st.SearchStrategy[Body | None] = st.none()
    if parts := sorted(WISHES[path](scenes())):
        changes |= st.just({}) | st.dictionaries(st.sampled_from(parts), JUNK)
    with requests.Session() as session:
        for asker in askers.values():
            asker.ask(operation.Case(), session, {})

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
            askers[caller].ask(case, session, change)

        probe()
    asked = sum(asker.sent for asker in askers.values())
    done = sum(asker.done for asker in askers.values())
    record_property("asked", asked)
    record_property("done", done)
    assert asked >= EACH
    assert done or path in _TESTED_ELSEWHERE


def _weighted(path: str) -> list[str]:
    """The callers, those more often whom the table lets in."""
    return [who for who in CALLERS for _ in range(1 if ROWS[path][who] else FAVOUR)]
