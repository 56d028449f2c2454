"""Which callers may make which call, read from `matrix.txt`."""

from pathlib import Path
from typing import Final

CALLERS: Final = (
    *("anon", "guest", "member", "other", "expired", "revoked"),
    *("cashier", "support", "editor", "manager", "auditor"),
)
_ANSWERS: Final = {
    "yes": "",
    "sign": "token_unknown",
    "out": "token_revoked",
    "old": "token_expired",
    "reg": "must_register",
    "staff": "staff_unknown",
    "role": "role_missing",
    "void": "pass_revoked",
    "late": "pass_expired",
}
_LAST: Final = frozenset({"none", "else"})


def _rows() -> dict[str, dict[str, str]]:
    lines = Path(__file__).with_name("matrix.txt").read_text().splitlines()
    return dict(_row(line) for line in lines if line.startswith("/"))


def _row(line: str) -> tuple[str, dict[str, str]]:
    path, *words = line.split()
    answers, last = words[: len(CALLERS)], words[len(CALLERS) :]
    expected = [last[0] if word in _LAST else _ANSWERS[word] for word in answers]
    return path, dict(zip(CALLERS, expected, strict=True))


#: The expected refusals by path and caller; empty if the call is accepted.
ROWS: Final = _rows()
