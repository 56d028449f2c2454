"""`scripts/gateway`: pays orders from the command line, or on a web page."""

import argparse
import html
import sys
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import parse_qs, urlsplit

from scripts.devtools.paths import as_typed, data_folder
from scripts.reference_gateway.messages import Gateway, NotDeliveredError

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Reference gateway</title>
<body style="font:1.1rem system-ui;max-width:24rem;margin:3rem auto;padding:0 1rem">
<h1>Reference gateway</h1>{inside}</body></html>"""
_PAYMENT_FORM = """<p>Order <code>{order}</code></p><p><strong>{amount} u</strong>, play money</p>
<form method="post"><input type="hidden" name="order" value="{order}">
<input type="hidden" name="amount" value="{amount}"><button>Pay</button></form>"""
_MAX_BODY = 4_096
_REFUSED, _NO_RESPONSE = 1, 3
_PORT = 8100
_LAST_PORT = 65_535
_EPILOGUE = """\
examples:
  scripts/gateway serve                            # the page that the demo sends players to
  scripts/gateway pay deposit-10007-0f3a... 250    # one order, without a browser
  scripts/gateway sign '{"order": "...", "amount": "250", "nonce": "..."}'

No money moves here: this shows, over real HTTP, how a gateway notifies the server of a paid order.
The secret is keys/gateway.key in the server's data folder; --secret and --address reach a server on
another machine.

exit status: 0 success, 1 refused, 2 usage error, 3 no response (safe to retry)
"""


def serve(gateway: Gateway, port: int) -> ThreadingHTTPServer:
    """Returns a local server of the page, on any free port for 0; the caller runs and closes it."""

    class Handler(_Page):
        pass

    Handler.gateway = gateway
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


class _Page(BaseHTTPRequestHandler):
    gateway: Gateway

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        fields = parse_qs(address.query)
        if address.path != "/pay" or not {"order", "amount"} <= fields.keys():
            self._respond(404, "<p>There is no such order.</p>")
            return
        words = {name: html.escape(fields[name][0]) for name in ("order", "amount")}
        self._respond(200, _PAYMENT_FORM.format(**words))

    def do_POST(self) -> None:
        size = min(int(self.headers.get("Content-Length") or 0), _MAX_BODY)
        fields = parse_qs(self.rfile.read(size).decode("utf-8", "replace"))
        if not {"order", "amount"} <= fields.keys():
            self._respond(400, "<p>There is no such order.</p>")
            return
        try:
            envelope = self.gateway.notify(fields["order"][0], fields["amount"][0])
        except NotDeliveredError:
            self._respond(502, "<p>The server does not respond: please try again.</p>")
            return
        text = html.escape(describe_result(envelope))
        self._respond(200, f"<p>{text}</p><p>You may close this page.</p>")

    def _respond(self, status: int, inside: str) -> None:
        content = _PAGE.format(inside=inside).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        pass


def describe_result(envelope: dict[str, Any]) -> str:
    """Returns the server's response as a sentence."""
    if envelope["code"] != 1:
        return f"{envelope['reason']}: {envelope['msg']}"
    data = envelope["data"]
    return {
        "approved": f"paid: {data['order']} is credited",
        "endorsed": f"paid: {data['order']} waits for a staff member to agree as well",
        "returned": f"{data['order']} is returned: a limit or exclusion of the player forbids it",
    }.get(data["status"], f"{data['order']}: {data['status']}")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, and exit with its status."""
    options = _options(sys.argv[1:] if arguments is None else arguments)
    try:
        sys.exit(_COMMANDS[options.command](_gateway(options), options))
    except KeyboardInterrupt:
        sys.exit(130)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=as_typed("scripts/gateway"),
        description="A reference payment gateway.",
        epilog=as_typed(_EPILOGUE),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # The common options are accepted before and after the command. SUPPRESS keeps an option that is
    # absent in one place from overriding the other.
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    _common(common)
    _common(parser)
    parser.set_defaults(
        data=data_folder(),
        secret=None,
        address=None,
        at=None,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, help_text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help_text, description=help_text, parents=[common])

    paying = add("pay", "notify the server that an order was paid")
    paying.add_argument("order", help="the order's id, as given to the player")
    paying.add_argument("amount", help="in u")
    serving = add("serve", "serve the page on which players pay")
    serving.add_argument("--port", type=_port, default=_PORT, help=f"port ({_PORT})")
    signing = add("sign", "show the signature of your own message")
    signing.add_argument("body", help="the exact bytes of the message")
    return parser.parse_args(arguments)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="the data folder (FAIRDRAW_DATA, or .data)")
    parser.add_argument(
        "--secret",
        type=Path,
        metavar="FILE",
        help="secret file to use instead of the data folder's",
    )
    parser.add_argument("--address", help="server to use instead of that of the data folder")
    parser.add_argument("--at", type=float, metavar="S", help="sign with this time, for tests")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is not a port")
    return int(text)


def _gateway(options: argparse.Namespace) -> Gateway:
    keys = options.data / "keys"
    try:
        secret = (options.secret or keys / "gateway.key").read_bytes()
        address = options.address or (keys / "address").read_text().strip()
    except FileNotFoundError as error:
        sys.exit(f"no server has been started on {options.data}: {error.filename} is missing")
    except PermissionError as error:
        sys.exit(f"{error.filename} cannot be read")
    gateway = Gateway(address.rstrip("/"), secret)
    return gateway if options.at is None else gateway.at(options.at)


def _pay(gateway: Gateway, options: argparse.Namespace) -> int:
    try:
        envelope = gateway.notify(options.order, options.amount)
    except NotDeliveredError:
        print("no response from the server: retry", file=sys.stderr)
        return _NO_RESPONSE
    if envelope["code"] != 1:
        print(describe_result(envelope), file=sys.stderr)
        return _REFUSED
    print(describe_result(envelope))
    return 0


def _serve(gateway: Gateway, options: argparse.Namespace) -> int:
    try:
        server = serve(gateway, options.port)
    except OSError as error:
        print(f"cannot listen on 127.0.0.1:{options.port}: {error.strerror}", file=sys.stderr)
        return _REFUSED
    with server:
        print(f"players pay at http://127.0.0.1:{server.server_port}/pay; Ctrl-C stops", flush=True)
        server.serve_forever()
    return 0


def _sign(gateway: Gateway, options: argparse.Namespace) -> int:
    message = gateway.sign(options.body.encode())
    for name, value in message.headers.items():
        print(f"{name}: {value}")
    print(f"\n{options.body}")
    return 0


_COMMANDS = {"pay": _pay, "serve": _serve, "sign": _sign}
