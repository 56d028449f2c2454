"""The log's public tree: anyone can read the checkpoint and the tiles, and follow the log."""

from base64 import b64decode

import httpx
import pytest

from engine.fairness import checkpoints, tiles
from engine.fairness.merkle import root_from_path, verify_consistency
from engine.runtime.log.fact_log import datastore
from engine.runtime.log.sealer import Sealer
from engine.runtime.secret_keys import OperatorKey, secret_file
from tests.api.support import ApiServer
from tests.api.test_proofs import findings, proof


class PublicTiles:
    """The tiles of a server as a stranger reads them, in a tree of `size` leaves."""

    def __init__(self, client: httpx.Client, size: int) -> None:
        self._client = client
        self._size = size

    def tile(self, level: int, number: int) -> bytes:
        width = min(tiles.WIDTH, (self._size >> (8 * level)) - number * tiles.WIDTH)
        answer = self._client.get(f"/api/fair/{tiles.tile_path(level, number, width)}")
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        return answer.content


def seal(house: ApiServer) -> bytes:
    """Seal what is committed. Returns the operator's public key."""
    key = OperatorKey(secret_file(house.settings.keys / "operator.key"))
    with datastore(house.conninfos.app) as store:
        Sealer(store, key, house.clock).catch_up()
    return key.public


def published(house: ApiServer) -> checkpoints.Note:
    answer = house.client.get("/api/fair/checkpoint")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    return checkpoints.read_note(answer.text)


def test_a_stranger_can_follow_the_log(house: ApiServer) -> None:
    player = house.register()
    key = seal(house)
    first = published(house)
    for _ in range(3):
        assert player.bet()["code"] == 1
    seal(house)
    second = published(house)
    for note in (first, second):
        checkpoints.verify(note, checkpoints.origin_of(key), key)
        public = PublicTiles(house.client, note.checkpoint.size)
        assert tiles.root(public, note.checkpoint.size) == note.checkpoint.root
    old, new = first.checkpoint, second.checkpoint
    assert new.size >= old.size + 3
    path = tiles.consistency_path(PublicTiles(house.client, new.size), old.size, new.size)
    assert verify_consistency(old.size, old.root, new.size, new.root, path)


def test_a_server_proves_its_tree_to_clients_that_read_no_tiles(house: ApiServer) -> None:
    player = house.register()
    seal(house)
    old = published(house).checkpoint
    for _ in range(3):
        assert player.bet()["code"] == 1
    seal(house)
    new = published(house).checkpoint
    public = PublicTiles(house.client, new.size)

    sizes = {"old": old.size, "new": new.size}
    answer = house.client.get("/api/fair/proof/consistency", params=sizes)
    assert answer.headers.get_list("cache-control") == ["public, max-age=31536000, immutable"]
    found = answer.json()
    assert (found["old"], found["new"]) == (old.size, new.size)
    path = [bytes.fromhex(each) for each in found["path"]]
    assert verify_consistency(old.size, old.root, new.size, new.root, path)

    for position in (1, old.size, new.size):
        query = {"position": position, "size": new.size}
        answer = house.client.get("/api/fair/proof/inclusion", params=query)
        assert answer.headers.get_list("cache-control") == ["public, max-age=31536000, immutable"]
        path = [bytes.fromhex(each) for each in answer.json()["path"]]
        number, place = divmod(position - 1, tiles.WIDTH)
        leaf = tiles.hashes_of(public.tile(0, number))[place]
        assert root_from_path(leaf, position - 1, new.size, path) == new.root


@pytest.mark.parametrize(
    "path",
    [
        *("inclusion", "inclusion?position=1", "inclusion?position=0&size=2"),
        *("inclusion?position=3&size=2", "inclusion?position=x&size=2"),
        *("inclusion?position=1&size=4000000000", f"inclusion?position=1&size={10**30}"),
        *("consistency", "consistency?old=0&new=2", "consistency?old=3&new=2"),
        *("consistency?old=1&new=4000000000", "consistency?old=-1&new=2", "other?old=1&new=2"),
    ],
)
def test_there_is_no_proof_outside_the_sealed_tree(house: ApiServer, path: str) -> None:
    seal(house)
    answer = house.client.get(f"/api/fair/proof/{path}")
    assert (answer.status_code, answer.json()["reason"]) == (404, "route_unknown")


def test_the_running_server_seals_its_log(house: ApiServer) -> None:
    assert house.services.engine.status().seal_trouble == ""
    registry = house.client.get("/metrics").text
    assert "fairdraw_log_seal_trouble 0.0" in registry
    assert "fairdraw_log_unsealed_seconds" in registry


def test_a_stranger_reads_a_round_and_its_day(house: ApiServer) -> None:
    player, issue = house.register(), house.issue
    assert player.bet()["code"] == 1
    named = {"game_id": "1", "issue": issue}
    on_sale = house.client.get("/api/fair/round", params=named)
    assert on_sale.headers["cache-control"] == "public, max-age=1"
    assert (on_sale.json()["state"], on_sale.json()["secrets"]) == ("open", None)
    house.draw_round()
    house.catch_up()
    drawn = house.client.get("/api/fair/round", params=named)
    assert drawn.headers["cache-control"] == "public, max-age=86400"
    body = drawn.json()
    assert body == proof(house, issue)
    assert [check for check in findings(body) if not check.passed] == []
    days = {"game_id": "1", "day": body["day"]["record"]["day"]}
    assert house.client.get("/api/fair/day", params=days).json() == body["day"]


@pytest.mark.parametrize(
    "path",
    [
        *("round", "round?game_id=1", "round?game_id=9&issue=1", "round?game_id=1&issue=1"),
        *("round?game_id=x&issue=1", "day?game_id=1&day=yesterday", "day?game_id=1", "day"),
        *("", "checkpoints", "tile", "tile/0", "tile/0/000.p/0", "tile/0/000.p/256"),
        *("tile/0/x999/999", "tile/64/000", "tile/entries/000", "tile/0/0", "tile/-1/000"),
    ],
)
def test_there_is_nothing_else(house: ApiServer, path: str) -> None:
    seal(house)
    answer = house.client.get(f"/api/fair/{path}")
    assert (answer.status_code, answer.json()["reason"]) == (404, "route_unknown")


def test_the_tree_can_only_be_read(house: ApiServer) -> None:
    assert house.client.post("/api/fair/checkpoint").json()["reason"] == "route_unknown"


def test_a_checkpoint_names_the_house_by_its_key(house: ApiServer) -> None:
    key = seal(house)
    text = house.client.get("/api/fair/checkpoint").text
    assert text.startswith(f"{checkpoints.origin_of(key)}\n")
    assert len(b64decode(text.split("\n")[2])) == 32
