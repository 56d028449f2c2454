"""The web app's request and response types are those of the OpenAPI description."""

import difflib

from api.http.asgi_app import described
from scripts.openapi_types import FILE, types_of


def test_the_committed_types_are_those_of_the_description() -> None:
    committed, made = FILE.read_text().splitlines(), types_of().splitlines()
    changes = [*difflib.unified_diff(committed, made, "committed", "made", n=0, lineterm="")][:20]
    assert not changes, "\n".join(["run scripts/types, and commit what it writes:", *changes])


def test_a_changed_answer_changes_the_types() -> None:
    document = described()
    document["components"]["schemas"]["WireBalance"]["properties"]["money"]["type"] = "string"
    assert types_of(document) != FILE.read_text()
