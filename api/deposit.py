"""The staff's command line for deposits: it asks the running house, which alone may write."""

import argparse
import getpass
import json
import secrets
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from api.office import OFFICE_HEADER, PATH

_TIMEOUT_S = 10


def main() -> None:
    """Approve one deposit, and say what the member holds now."""
    options = _options()
    key = options.key or secrets.token_hex(16)
    try:
        answer = _ask(options, key)
    except OSError as error:
        sys.exit(f"the house does not answer ({error}); repeat with --key {key}")
    if answer["code"] != 1:
        field = f" ({answer['field']})" if "field" in answer else ""
        sys.exit(f"{answer['reason']}: {answer['msg']}{field}")
    data = answer["data"]
    print(f"player {data['player']} now holds {data['money']} u; deposit {data['deposit']}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/deposit",
        description="Approve a deposit that has arrived. The house must be running.",
    )
    parser.add_argument("player", help="user name or player id")
    parser.add_argument("amount", help="in u, at most two decimals")
    parser.add_argument("--channel", required=True, choices=("bank", "usdt"))
    parser.add_argument("--reference", required=True, help="what the payment says")
    parser.add_argument("--key", help="the same key again is the same deposit")
    parser.add_argument("--data", type=Path, default=Path(".data"), help="the data folder")
    return parser.parse_args()


def _ask(options: argparse.Namespace, key: str) -> dict[str, Any]:
    keys = options.data / "keys"
    try:
        secret, address = (keys / "office.key").read_bytes().hex(), (keys / "address").read_text()
    except FileNotFoundError:
        sys.exit(f"no house has been started on {options.data}")
    body = {
        "player": options.player,
        "amount": options.amount,
        "channel": options.channel,
        "reference": options.reference,
        "clerk": getpass.getuser(),
    }
    request = urllib.request.Request(  # noqa: S310 - the address is the house's own, on loopback
        f"{address}{PATH}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Idempotency-Key": key, OFFICE_HEADER: secret},
    )
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:  # noqa: S310
            return dict(json.load(response))
    except urllib.error.HTTPError as error:
        return dict(json.load(error))


if __name__ == "__main__":
    main()
