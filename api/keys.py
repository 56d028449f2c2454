"""The secret files of a house. `python -m api.keys` makes those that are not there yet.

A demo makes its own when it first needs them. A house that takes money does not: keys that are
not where they were expected must stop it, and not be replaced by others in silence.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from api.given import SettingsError
from engine.runtime.keys import KEY_BYTES, secret_file

FILES: Final = {
    "operator.key": "signs days, frozen bet sets and receipts",
    "witness/witness.key": "the witness's own signature",
    "master.key": "seals members' data and the secrets of the draws",
    "pepper.key": "without it nobody can guess security codes",
    "office.key": "lets the staff's programs in",
    "gateway.key": "shared with the payment gateway",
}
_OTHERS: Final = 0o077


def check(keys: Path) -> None:
    """SettingsError unless every key is there, whole, and nobody else's to read."""
    missing = [name for name in FILES if not (keys / name).is_file()]
    if missing:
        raise SettingsError(
            f"outside demo mode the keys must be there, and {keys} lacks {', '.join(missing)}:"
            " bring back your copy, or for a new house make them with"
            f" scripts/run --make-keys --data {keys.parent}"
        )
    for path in (*(keys / name for name in FILES), *sorted(keys.glob("master-*.key"))):
        _check(path)


def _check(path: Path) -> None:
    if path.stat().st_mode & _OTHERS:
        raise SettingsError(f"{path} must be its owner's alone to read: chmod 600 {path}")
    if path.stat().st_size != KEY_BYTES:
        raise SettingsError(f"{path} must hold {KEY_BYTES} bytes, not {path.stat().st_size}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the keys that are missing, and touch no other."""
    parser = argparse.ArgumentParser(prog="python -m api.keys", description="Make a house's keys.")
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
    print("Keep a copy apart from the database's: without these files it cannot be read.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
