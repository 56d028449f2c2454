"""The vectors that the web app and the auditors' own code are tested with are ours."""

import json

from tests.engine.fairness.log_vectors import FILE, vectors


def test_the_file_has_what_the_engine_computes() -> None:
    assert json.loads(FILE.read_text()) == vectors(), (
        "python -m tests.engine.fairness.log_vectors writes it"
    )
