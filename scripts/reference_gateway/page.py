"""The gateway's page: a player is sent here with an order, and pays it with play money."""

import html
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

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
