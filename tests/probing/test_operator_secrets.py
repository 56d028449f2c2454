"""The operator's secrets are in no table and in no answer: unrevealed links, keys, the pepper.

A link reveals every earlier one of its day, and with the witness's link the draws.
"""

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import httpx
import psycopg
import pytest
from psycopg import sql

from api.http.asgi_app import CALLS
from engine.catalogue import GAMES
from engine.runtime.witness.local_witness import LocalWitness
from tests.api.support import ApiServer
from tests.api.test_proofs import proof
from tests.probing.matrix import NOT_ALLOWED, ROWS, STAFF
from tests.probing.scene import Scene
from tests.probing.wishes import WISHES

TABLES: Final = (
    "SELECT schemaname, tablename FROM pg_tables"
    " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
)
#: What is searched for: a secret as it is, in hex, and in base64 without its padding.
FORMS: Final[tuple[Callable[[bytes], bytes], ...]] = (
    bytes,
    lambda secret: secret.hex().encode(),
    lambda secret: base64.b64encode(secret).rstrip(b"="),
    lambda secret: base64.urlsafe_b64encode(secret).rstrip(b"="),
)
OTHER_PATHS: Final = ("/readyz", "/metrics", "/schema/openapi.json", "/api/fair/checkpoint")


@pytest.mark.slow
def test_no_table_and_no_answer_contains_a_secret_of_the_operator(
    house: ApiServer, scenes: Callable[[], Scene]
) -> None:
    places = answers(house, scenes) | tables(house)
    assert {"log.facts", "vault.chains", "content.texts", "views.rounds"} <= places.keys()
    hidden, revealed = links(house)
    assert min(map(len, (hidden, revealed))) > 2 * len(GAMES)
    keys = [file.read_bytes() for file in house.settings.keys.rglob("*.key")]
    assert len(keys) >= 5
    shown = containing(places, revealed)
    assert {"log.facts", "/api/Lottery/proof"} <= shown, "the search finds what is there"
    assert containing(places, (*hidden, *keys)) == set()


def answers(house: ApiServer, scenes: Callable[[], Scene]) -> dict[str, bytes]:
    """All answers with their headers by path: each call by a member and by staff who may make it.

    The house is in the middle of a day.
    """
    found: dict[str, bytes] = {}

    def keep(response: httpx.Response) -> None:
        content = repr(response.headers.raw).encode() + response.read()
        found[response.url.path] = found.get(response.url.path, b"") + content

    hooks = house.client.event_hooks["response"]
    hooks.append(keep)
    try:
        for call in CALLS:
            expected = ROWS[call.path]
            allowed = [role for role in STAFF if expected[role] not in NOT_ALLOWED]
            for caller in ("member", *allowed[:1]):
                scene = scenes()
                body = WISHES[call.path](scene)
                scene.send(call.method, call.path, body, scene.headers(caller))
        issue = house.issue
        house.next_round()
        proof(house, issue)
        proof(house, house.issue)
        for path in OTHER_PATHS:
            assert house.client.get(path).status_code == 200
    finally:
        hooks.remove(keep)
    assert {call.path for call in CALLS} <= found.keys()
    return found


def tables(house: ApiServer) -> dict[str, bytes]:
    """The content of every table by name; bytes, texts and JSON are as they were stored."""
    house.catch_up()
    found = {}
    with (
        psycopg.connect(house.conninfos.owner) as owner,
        psycopg.connect(house.conninfos.app) as app,
    ):
        for schema, table in owner.execute(TABLES).fetchall():
            copy = sql.SQL("COPY {} TO STDOUT (FORMAT BINARY)").format(
                sql.Identifier(schema, table)
            )
            connection = app if schema.startswith("views") else owner
            with connection.cursor().copy(copy) as rows:
                found[f"{schema}.{table}"] = b"".join(map(bytes, rows))
    return found


def links(house: ApiServer) -> tuple[list[bytes], list[bytes]]:
    """Both parties' links that are not revealed yet, and those that are, of all open days."""
    hidden: list[bytes] = []
    revealed: list[bytes] = []
    parties = house.engine._context
    assert isinstance(parties.witness, LocalWitness)
    for game in GAMES:
        day = house.engine.state.games[game]
        unfinished = [each.opened.index for each in house.engine.state.unfinished_rounds(game)]
        next_index = min(unfinished, default=day.last_index + 1)
        for chain in (
            parties.chains.links(game, day.day),
            parties.witness.days()[str(game), day.day].links,
        ):
            hidden += chain[next_index:]
            revealed += chain[:next_index]
    return hidden, revealed


def containing(places: Mapping[str, bytes], secrets: Iterable[bytes]) -> set[str]:
    """The places that contain one of the secrets in any of the forms."""
    forms: dict[int, set[bytes]] = {}
    for secret in secrets:
        for form in FORMS:
            forms.setdefault(len(form(secret)), set()).add(form(secret))
    return {
        place
        for place, content in places.items()
        if any(
            content[start : start + size] in wanted
            for size, wanted in forms.items()
            for start in range(len(content) - size + 1)
        )
    }
