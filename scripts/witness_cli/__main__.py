"""`scripts/witness`: serves a witness on a machine of its own, shows its key and what it signed."""

import argparse
import asyncio
import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

import msgspec

from api.setting_types import whole
from api.witness.server import WitnessServer, create_app, run_and_exit, serve
from engine.catalogue import GAMES
from engine.fairness.checkpoints import origin_of
from engine.runtime.clock import GuardedClock
from engine.runtime.secret_keys import KEY_BYTES
from engine.runtime.witness.local_witness import LocalWitness
from engine.runtime.witness.remote_witness import WitnessAddress
from scripts.devtools.paths import as_typed

_DATA: Final = "FAIRDRAW_WITNESS_DATA"
_EPILOG: Final = """\
to set one up:
  scripts/witness key --url http://witness.example:8300   on the witness's machine: prints the line
                                                          that the house needs
  scripts/run --make-keys                                 on the house's machine: prints its key
  scripts/witness serve --operator KEY --host 0.0.0.0     on the witness's machine
  FAIRDRAW_WITNESS=http://witness.example:8300#NAME+ID+KEY scripts/run    on the house's machine

Keep the folder. A witness that lost it, or has an older copy, makes the house begin a new segment;
rounds that it can no longer draw are voided and their stakes returned. Never run two witnesses with
copies of one folder. The machine's clock must be right: a link is released only after the close."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except OSError as error:
        print(f"{as_typed('scripts/witness')}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=as_typed("scripts/witness"),
        description="The second party of every draw. It keeps one half of the secret of each round,"
        " and releases it for one set of bets only, after the round has closed.",
        epilog=as_typed(_EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serving = _command(commands, "serve", "answer one house until Ctrl-C", _serve)
    serving.add_argument(
        "--operator", type=_key, required=True, metavar="KEY", help="the house's public key, in hex"
    )
    serving.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    serving.add_argument("--port", type=_port, default=8300, help="port to listen on (8300)")
    showing = _command(commands, "key", "print the line that the house needs", _show_key)
    showing.add_argument(
        "--url",
        default="http://127.0.0.1:8300",
        help="where the house reaches this witness (http://127.0.0.1:8300)",
    )
    _command(commands, "status", "print what it has signed for each day", _show_status)
    _command(commands, "list", "print what it has signed, for an auditor", _list).description = (
        "Print every record that it signed, one JSON object in a line: for scripts/audit fairness"
        " --witness-list FILE. The secrets of unfinished days are left out. Of a finished day it"
        " has the signed root over its releases."
    )
    printing = _command(commands, "checkpoint", "print its newest cosigned checkpoint", _print_note)
    printing.description = (
        "Print the newest checkpoint of the house's log that it cosigned, with both signatures: a"
        " C2SP signed note. An auditor compares the house's log with it: scripts/audit log"
        " --checkpoint FILE, or scripts/audit check. The house cannot change or delete this copy."
    )
    printing.add_argument("--log", metavar="ORIGIN", help="of this log, if it has cosigned several")
    forgetting = _command(commands, "forget", "forget how far the house's log had come", _forget)
    forgetting.description = (
        "After the house has restored an older database, its log no longer continues the last"
        " checkpoint, and the witness releases nothing more. This forgets the checkpoints, and with"
        " them what was lost. A player or auditor who kept a checkpoint can still show it. The"
        " signed draws stay."
    )
    forgetting.add_argument("--yes", action="store_true", help="do it, instead of only saying what")
    return parser


def _command(commands: object, name: str, text: str, run: object) -> argparse.ArgumentParser:
    assert isinstance(commands, argparse._SubParsersAction)  # noqa: SLF001 - has no public name
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get(_DATA) or ".witness"),
        metavar="DIR",
        help=f"folder of its key and its records ({_DATA}, or .witness)",
    )
    parser.add_argument("--name", default="", help="its name in cosignatures (made from its key)")
    parser.set_defaults(run=run)
    return parser


def _key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise argparse.ArgumentTypeError(f"{text!r} is not {KEY_BYTES} bytes in hex")
    return key


def _port(text: str) -> int:
    kind = whole(1, 65_535)
    try:
        return kind.read(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not {kind.allowed}") from None


def _open(options: argparse.Namespace) -> LocalWitness:
    return LocalWitness(options.data, GuardedClock(), options.name)


def _serve(options: argparse.Namespace) -> NoReturn:
    with socket.create_server((options.host, options.port)):
        pass  # granian would share a port that is in use
    clock = GuardedClock()
    witness = LocalWitness(options.data, clock, options.name, origin_of(options.operator))
    print(f"witness {witness.name} answers on http://{options.host}:{options.port}", flush=True)
    server = WitnessServer(witness, options.operator, clock)
    run_and_exit(_serve_until_stopped(options, server, clock))


async def _serve_until_stopped(
    options: argparse.Namespace, server: WitnessServer, clock: GuardedClock
) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await serve(create_app(server), options.host, options.port, stop, clock)


def _show_key(options: argparse.Namespace) -> int:
    witness = _open(options)
    try:
        address = WitnessAddress.of(
            WitnessAddress(options.url, witness.name, witness.public).text()
        )
    except ValueError as error:
        print(f"{as_typed('scripts/witness')}: {options.url!r}: {error}", file=sys.stderr)
        return 1
    print(f"FAIRDRAW_WITNESS={address.text()}")
    return 0


def _show_status(options: argparse.Namespace) -> int:
    witness = _open(options)
    days = witness.days()
    for game in map(str, GAMES):
        for day, witness_day in sorted((day, it) for (of, day), it in days.items() if of == game):
            signed = "signed" if witness_day.opened is not None else "not signed"
            print(f"game {game}  {day:12}  {signed}, last round {witness_day.last}")
    print(f"{len(days)} days and segments")
    for checkpoint in witness.checkpoints():
        root = checkpoint.root.hex()
        print(f"log {checkpoint.origin}: cosigned up to {checkpoint.size} facts, root {root}")
    return 0


def _print_note(options: argparse.Namespace) -> int:
    """Print the note; whatever else there is to say goes to standard error."""
    witness = _open(options)
    found = [it for it in witness.checkpoints() if options.log in {None, it.origin}]
    if not found:
        return _failed("it has not cosigned a checkpoint yet")
    if len(found) > 1:
        origins = ", ".join(it.origin for it in found)
        return _failed(f"it has cosigned several logs, name one with --log: {origins}")
    note = witness.note(found[0].origin)
    if note is None:
        return _failed(
            f"it has cosigned {found[0].size} facts, but an earlier release kept no signed note:"
            " there is one as soon as the house's log has grown"
        )
    print(note.text(), end="")
    return 0


def _failed(reason: str) -> int:
    print(f"{as_typed('scripts/witness')}: {reason}", file=sys.stderr)
    return 1


def _list(options: argparse.Namespace) -> int:
    for record in _open(options).signed_records():
        print(msgspec.json.encode(record).decode())
    return 0


def _forget(options: argparse.Namespace) -> int:
    witness = _open(options)
    for checkpoint in witness.checkpoints():
        print(f"log {checkpoint.origin}: cosigned up to {checkpoint.size} facts")
    if not options.yes:
        print("Nothing was changed. With --yes the next checkpoint is cosigned, whatever it is.")
        return 0
    witness.forget_checkpoints()
    print("Forgotten: the next checkpoint is cosigned, whatever it is.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
