"""Every row of the specification's lists has a test that exists."""

import ast
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

import msgspec
import pytest

from api.http.asgi_app import CALLS as SERVED
from tests.architecture.sources import ROOT
from tests.contract.covering import Row
from tests.contract.row_calls import ABOUT_CALLS, CALLS
from tests.contract.row_constants import CONSTANTS
from tests.contract.row_entities import ENTITIES
from tests.contract.row_errors import ERRORS

_CALL_ROWS: Final = [Row(call.path, call.answer, call.tests) for call in CALLS]
ROWS: Final = [*ENTITIES, *_CALL_ROWS, *ABOUT_CALLS, *ERRORS, *CONSTANTS]
_TITLE: Final = re.compile(
    r"""\b(?:test|it)(?:\.each\(.*?\))?\(\s*(?P<quote>["'`])(?P<title>.*?)(?<!\\)(?P=quote)""",
    re.DOTALL,
)


@cache
def _names_in(path: str) -> frozenset[str]:
    """The names of the tests in a file, as rows use them."""
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    text = file.read_text()
    if path.endswith(".py"):
        functions = (
            node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)
        )
        return frozenset(node.name for node in functions if node.name.startswith("test_"))
    return frozenset(match["title"] for match in _TITLE.finditer(text))


def _absent(rows: Iterable[Row]) -> list[str]:
    """The faults of rows: without a test, or with one that does not exist."""
    wrong = [f"{row} has no test" for row in rows if not row.tests]
    for row in rows:
        for test in row.tests:
            path, _, name = test.partition(" > " if test.startswith("webapp/") else "::")
            if name not in _names_in(path):
                wrong.append(f"{row} names {test}, which is not there")
    return wrong


def test_every_row_names_tests_that_exist() -> None:
    assert _absent(ROWS) == []


@pytest.mark.parametrize(
    "test",
    [
        "tests/contract/test_rows.py::test_that_does_not_exist",
        "tests/contract/no_such_file.py::test_every_row_names_tests_that_exist",
        "webapp/src/api/client.test.ts > a title that does not exist",
    ],
)
def test_a_row_without_a_real_test_is_noticed(test: str) -> None:
    assert len(_absent([Row("Draw", "three digits", ())])) == 1
    assert len(_absent([Row("Draw", "three digits", (test,))])) == 1


def test_no_row_is_listed_twice() -> None:
    counts = Counter(map(str, ROWS))
    assert [row for row, count in counts.items() if count > 1] == []


def test_the_lists_are_as_long_as_the_specifications() -> None:
    counts = Counter(row.subject for row in ENTITIES)
    assert len(CALLS) == len({call.path for call in CALLS}) == 24
    assert Counter(call.method for call in CALLS) == {"GET": 2, "POST": 22}
    assert (counts["Order / bet record"], counts["Fund ledger entry"]) == (13, 12)
    messages = [str(row) for row in ERRORS if row.subject in {"Success", "Refusals"}]
    assert len(messages) == 21


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.path)
def test_a_call_is_served_with_its_method_and_takes_its_payload(call: Any) -> None:
    served = {each.path: each for each in SERVED}
    found = served[call.path]
    assert found.method == call.method
    taken = {field.encode_name for field in msgspec.structs.fields(found.request_type)}
    assert set(call.payload) <= taken
