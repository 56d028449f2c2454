"""Which callers may make which call, and which calls take a key, read from `matrix.txt`."""

from pathlib import Path
from typing import Final, NamedTuple

STAFF: Final = ("cashier", "support", "editor", "manager", "auditor")
CALLERS: Final = ("anon", "guest", "member", "other", "expired", "revoked", *STAFF)
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
#: The refusals of a caller who may not make the call, whatever is in it.
NOT_ALLOWED: Final = frozenset(_ANSWERS.values()) - {""}
_LAST: Final = frozenset({"none", "else"})
_KEY: Final = {"key": True, "-": False}
OFFICE: Final = "/api/office/"


class _Row(NamedTuple):
    path: str
    takes_key: bool
    answers: dict[str, str]


def _rows() -> list[_Row]:
    lines = Path(__file__).with_name("matrix.txt").read_text().splitlines()
    return [_row(line) for line in lines if line.startswith("/")]


def _row(line: str) -> _Row:
    path, key, *words = line.split()
    answers, last = words[: len(CALLERS)], words[len(CALLERS) :]
    expected = [last[0] if word in _LAST else _ANSWERS[word] for word in answers]
    return _Row(path, _KEY[key], dict(zip(CALLERS, expected, strict=True)))


_READ: Final = _rows()
#: The expected refusals by path and caller; empty if the call is accepted.
ROWS: Final = {row.path: row.answers for row in _READ}
#: The paths of the calls that take an idempotency key.
KEYED: Final = tuple(row.path for row in _READ if row.takes_key)
#: The roles that may make a staff call, by its name: those that are not refused for their role.
MAY: Final = {
    path.removeprefix(OFFICE): frozenset(role for role in STAFF if answers[role] not in NOT_ALLOWED)
    for path, answers in ROWS.items()
    if path.startswith(OFFICE)
}
#: The staff calls that the machine's secret may make, without a name, to begin a house.
MACHINE_MAY: Final = frozenset({"staffRoles", "staffPass"})
