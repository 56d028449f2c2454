"""A relay of a beacon on this machine: it serves the rounds that the test gives it."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engine.fairness.beacon import BeaconNetwork, BeaconRound

HOST = "127.0.0.1"


class Relay:
    """Answers by path, 404 for any other path; `asked` lists the paths of all requests."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.url = ""

    def publish(self, network: BeaconNetwork, *rounds: BeaconRound) -> None:
        """Serve rounds in drand's JSON."""
        for each in rounds:
            answer = {"round": each.number, "randomness": each.randomness}
            answer["signature"] = each.signature
            if each.previous_signature:
                answer["previous_signature"] = each.previous_signature
            self.answers[path(network, each.number)] = json.dumps(answer).encode()


def path(network: BeaconNetwork, number: int) -> str:
    """The path of a round in drand's API."""
    return f"/{network.chain_hash}/public/{number}"


@contextmanager
def running(relay: Relay) -> Iterator[Relay]:
    """Serve the relay's answers at its `url`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            relay.asked.append(self.path)
            body = relay.answers.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer((HOST, 0), Handler) as server:
        relay.url = f"http://{HOST}:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield relay
        finally:
            server.shutdown()
            thread.join()
