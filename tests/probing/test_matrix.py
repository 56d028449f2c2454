"""Every call by every kind of caller, compared with tests/probing/matrix.txt.

Objects are looked up by owner and id, and roles are checked on every staff call (ASVS 8.2.1, 8.2.2,
8.3.1; GLI-19 2.5.4).
"""

from collections.abc import Callable

import pytest

from api.http.asgi_app import CALLS
from tests.probing.matrix import CALLERS, KEYED, NOT_ALLOWED, OFFICE, ROWS, STAFF
from tests.probing.scene import Scene
from tests.probing.wishes import WISHES


def test_no_call_is_missing_from_the_table() -> None:
    assert [call.path for call in CALLS if call.path not in ROWS] == []
    assert sorted(ROWS.keys() - {call.path for call in CALLS}) == []
    assert sorted(ROWS.keys() - WISHES.keys()) == []


def test_the_calls_that_take_a_key_are_those_of_the_table() -> None:
    assert {call.path for call in CALLS if call.idempotent} == set(KEYED)


@pytest.mark.parametrize("path", ROWS)
def test_every_caller_gets_the_answer_of_the_table(scenes: Callable[[], Scene], path: str) -> None:
    (method,) = {call.method for call in CALLS if call.path == path}
    got = {}
    scene = scenes()
    body = WISHES[path](scene)
    for who in CALLERS:
        answer = scene.send(method, path, body, scene.headers(who))
        got[who] = answer.get("reason", "")
        if answer["code"] == 1:
            # The call succeeded, so the next caller needs a new scene.
            scene = scenes()
            body = WISHES[path](scene)
    assert got == ROWS[path]


@pytest.mark.parametrize("path", [path for path in KEYED if path.startswith(OFFICE)])
def test_staff_do_nothing_without_a_key(scenes: Callable[[], Scene], path: str) -> None:
    scene = scenes()
    body = WISHES[path](scene)
    role = next(role for role in STAFF if ROWS[path][role] not in NOT_ALLOWED)
    headers = {"office": scene.headers(role)["office"]}
    assert scene.send("POST", path, body, headers)["reason"] == "key_malformed"
