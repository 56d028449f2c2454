"""The server's secret key files. `python -m api.keys` creates the missing ones.

A demo creates its keys when it first needs them. A server that takes real money does not: missing
keys must stop it, and must not be replaced silently.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from api.setting_types import ServerRole, SettingsError
from engine.runtime.secret_keys import KEY_BYTES, OperatorKey, secret_file

FILES: Final = {
    "operator.key": "signs days, frozen bet sets and receipts",
    "witness/witness.key": "the witness's own signature",
    "master.key": "seals players' data and the secrets of the draws",
    "pepper.key": "prevents offline guessing of security codes",
    "office.key": "authenticates the staff's programs",
    "gateway.key": "shared with the payment gateway",
    "engine.key": "authenticates the house's processes to its engine",
}
_UNUSED: Final[Mapping[ServerRole, frozenset[str]]] = {
    ServerRole.ALL: frozenset({"engine.key"}),
    ServerRole.ENGINE: frozenset(),
    ServerRole.API: frozenset({"operator.key"}),
    ServerRole.PROJECTOR: frozenset(FILES),
    ServerRole.WITNESS: frozenset(FILES) - {"operator.key", "witness/witness.key"},
}
_OTHERS: Final = 0o077
_OLD_ENGINE_KEY: Final = "engine-old.key"


def check(keys: Path, role: ServerRole = ServerRole.ALL) -> None:
    """Raises SettingsError unless each key exists, is complete, and only its owner can read it.

    The keys are those that a process of this role uses.
    """
    needed = FILES.keys() - _UNUSED[role]
    missing = [name for name in FILES if name in needed and not (keys / name).is_file()]
    if missing:
        raise SettingsError(
            f"outside demo mode the keys must be there, and {keys} lacks {', '.join(missing)}:"
            " restore your copy, or for a new installation make them with"
            f" scripts/run --make-keys --data {keys.parent}"
        )
    more = [*sorted(keys.glob("master-*.key")), *keys.glob(_OLD_ENGINE_KEY)]
    for path in (*(keys / name for name in needed), *more):
        _check(path)


def engine_secrets(keys: Path) -> list[bytes]:
    """What the processes of the house send to their engine: `engine.key`, and the one before.

    `engine-old.key` is there while the processes start with a new `engine.key`, one after another.
    """
    old = keys / _OLD_ENGINE_KEY
    return [secret_file(keys / "engine.key"), *([old.read_bytes()] if old.exists() else [])]


def _check(path: Path) -> None:
    if path.stat().st_mode & _OTHERS:
        raise SettingsError(f"{path} must be its owner's alone to read: chmod 600 {path}")
    if path.stat().st_size != KEY_BYTES:
        raise SettingsError(f"{path} must hold {KEY_BYTES} bytes, not {path.stat().st_size}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Create the missing keys; existing ones stay unchanged."""
    parser = argparse.ArgumentParser(
        prog="python -m api.keys", description="Create the server's missing keys."
    )
    default = Path(os.environ.get("FAIRDRAW_DATA") or ".data")
    parser.add_argument("--data", type=Path, default=default, metavar="DIR")
    keys = parser.parse_args(arguments).data / "keys"
    for name, purpose in FILES.items():
        status = "was there" if (keys / name).exists() else "made"
        try:
            secret_file(keys / name)
        except OSError as error:
            print(f"{keys / name} cannot be made: {error.strerror}", file=sys.stderr)
            return 1
        print(f"{status:9}  {keys / name}: {purpose}")
    operator = OperatorKey(secret_file(keys / "operator.key"))
    print(f"The public key, for the witness and for auditors: {operator.public.hex()}")
    print("Keep a copy apart from the database's: without these files it cannot be read.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
