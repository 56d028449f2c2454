"""Every call by every kind of caller, compared with tests/probing/matrix.txt.

Objects are looked up by owner and id, and roles are checked on every staff call (ASVS 8.2.1, 8.2.2,
8.3.1; GLI-19 2.5.4).
"""

from collections.abc import Callable

import pytest

from api.http.asgi_app import CALLS
from tests.probing.matrix import CALLERS, ROWS
from tests.probing.scene import Scene
from tests.probing.wishes import WISHES


def test_no_call_is_missing_from_the_table() -> None:
    assert [call.path for call in CALLS if call.path not in ROWS] == []
    assert sorted(ROWS.keys() - {call.path for call in CALLS}) == []
    assert sorted(ROWS.keys() - WISHES.keys()) == []


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
