"""A player gets the log entries of the whole account, each proved to be in one checkpoint."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from api.http import long_lists
from engine.facts import player_stream
from engine.fairness import checkpoints
from engine.fairness.checkpoints import Note
from engine.fairness.merkle import leaf_hash, root_from_path
from engine.fairness.tiles import LeafEntry, read_entry
from engine.runtime.log.sealer import ENTRY, Sealer, StoredTiles
from engine.runtime.secret_keys import secret_file
from scripts.audit_tool.__main__ import main as audit
from tests.api.door import counting
from tests.api.staffing import office
from tests.api.support import ApiServer, Player
from tests.api.test_log_tree import seal
from tests.api.writing import texts

ACCOUNT = "fair/account"
Stored = dict[int, tuple[int, str, bytes]]


def stored(player: Player) -> Stored:
    """Position, topic and entry of each fact of the player, by version."""
    query = (
        f"SELECT originator_version, notification_id, topic, {ENTRY} FROM log.facts"
        " WHERE originator_id = %s ORDER BY originator_version"
    )
    with psycopg.connect(player.house.conninfos.app) as connection:
        rows = connection.execute(query, (player_stream(player.id),))
        return {row[0]: (row[1], row[2], bytes(row[3])) for row in rows}


def page(player: Player, **request: Any) -> dict[str, Any]:
    answer = player.call(ACCOUNT, request)
    assert answer["code"] == 1, answer
    data: dict[str, Any] = answer["data"]
    return data


def note_of(found: dict[str, Any]) -> Note:
    return checkpoints.read_note(found["checkpoint"]["note"])


def is_in_tree(fact: dict[str, Any], note: Note) -> bool:
    leaf = fact["leaf"] and bytes.fromhex(fact["leaf"])
    if fact["entry"] is not None:
        leaf = leaf_hash(bytes.fromhex(fact["entry"]))
    path = [bytes.fromhex(each) for each in fact["path"]]
    size, index = note.checkpoint.size, fact["position"] - 1
    return root_from_path(leaf, index, size, path) == note.checkpoint.root


def entries(found: dict[str, Any]) -> list[LeafEntry]:
    shown = [fact["entry"] for fact in found["facts"] if fact["entry"] is not None]
    return [read_entry(bytes.fromhex(each)) for each in shown]


def refusal(player: Player, **request: Any) -> tuple[str, str]:
    answer = player.call(ACCOUNT, request)
    return answer["reason"], answer.get("field", "")


@pytest.fixture
def bettor(house: ApiServer, player: Player) -> Player:
    """A player with settled bets, a message of staff, and bets after it."""
    player.bet("big", 10)
    player.bet("small", 20)
    house.draw_round()
    office(house, "message", player=player.id, texts=texts())
    player.bet("odd", 10)
    return player


def test_all_own_facts_are_proved_in_one_signed_checkpoint(
    house: ApiServer, bettor: Player
) -> None:
    key = seal(house)
    found, facts = page(bettor), stored(bettor)
    note = note_of(found)
    checkpoints.verify(note, checkpoints.origin_of(key), key)
    assert found["checkpoint"]["operator_key"] == key.hex()
    assert found["size"] == note.checkpoint.size
    assert found["remaining"] == 0
    places = [(fact["version"], fact["position"]) for fact in found["facts"]]
    assert places == [(version, position) for version, (position, _, _) in facts.items()]
    assert all(is_in_tree(fact, note) for fact in found["facts"])
    for fact in found["facts"]:
        if fact["entry"] is not None:
            assert bytes.fromhex(fact["entry"]) == facts[fact["version"]][2]
            assert fact["leaf"] is None
    topics = {entry.topic for entry in entries(found)}
    assert {"player-registered.1", "bet-placed.1", "bet-settled.1"} <= topics


def test_the_witness_is_named_if_it_signed_the_checkpoint(house: ApiServer, player: Player) -> None:
    seal(house)
    alone = page(player)
    assert alone["checkpoint"]["witness_key"] is None
    (file,) = house.settings.data.rglob("witness.key")
    key = Ed25519PrivateKey.from_private_bytes(secret_file(file))
    stranger = Ed25519PrivateKey.generate()
    lines = [
        checkpoints.cosign(note_of(alone).checkpoint, name, each, 1)
        for name, each in (("stranger.example", stranger), ("witness.example", key))
    ]
    by_stranger = note_of(alone).with_signatures(lines[:1])
    by_both = note_of(alone).with_signatures(lines)
    for note, named in ((by_stranger, None), (by_both, key.public_key().public_bytes_raw().hex())):
        with cosigned(house, note):
            found = page(player)
            assert found["checkpoint"]["note"] == note.text()
            assert found["checkpoint"]["witness_key"] == named


@contextmanager
def cosigned(house: ApiServer, note: Note) -> Iterator[None]:
    """The log has a checkpoint that witnesses cosigned just now."""
    row = (note.checkpoint.size, house.clock(), note.text())
    with psycopg.connect(house.conninfos.owner, autocommit=True) as connection:
        connection.execute("INSERT INTO log.cosigned VALUES (0, %s, %s, %s)", row)
        try:
            yield
        finally:
            connection.execute("DELETE FROM log.cosigned WHERE hour = 0")


def test_a_fact_that_names_staff_is_proved_without_its_content(
    house: ApiServer, bettor: Player
) -> None:
    seal(house)
    found, facts = page(bettor), stored(bettor)
    withheld = [fact for fact in found["facts"] if fact["entry"] is None]
    topics = [facts[fact["version"]][1] for fact in withheld]
    assert topics == ["message-sent.1"]
    assert withheld[0]["leaf"] == leaf_hash(facts[withheld[0]["version"]][2]).hex()
    assert is_in_tree(withheld[0], note_of(found))
    assert b"staff:ann".hex() not in json.dumps(found)


def test_no_fact_of_another_player_is_among_them(house: ApiServer, bettor: Player) -> None:
    stranger = house.register()
    stranger.bet("big", 10)
    seal(house)
    own, others = page(bettor), page(stranger)
    assert {entry.stream for entry in entries(own)} == {player_stream(bettor.id)}
    assert {entry.stream for entry in entries(others)} == {player_stream(stranger.id)}
    positions = [{fact["position"] for fact in found["facts"]} for found in (own, others)]
    assert not positions[0] & positions[1]


def test_pages_have_the_tree_of_the_first_one(house: ApiServer, bettor: Player) -> None:
    seal(house)
    whole, first = page(bettor), page(bettor, limit=3)
    note, size = note_of(first), first["size"]
    assert first["facts"] == whole["facts"][:3]
    assert first["remaining"] == len(whole["facts"]) - 3 > 0
    bettor.bet("even", 10)
    seal(house)
    assert page(bettor)["size"] > size

    second = page(bettor, after=3, size=size, limit=3)
    assert second["checkpoint"] is None
    assert (second["size"], second["remaining"]) == (size, len(whole["facts"]) - 6)
    rest = page(bettor, after=6, size=size)
    assert (rest["size"], rest["remaining"]) == (size, 0)
    assert first["facts"] + second["facts"] + rest["facts"] == whole["facts"]
    assert all(is_in_tree(fact, note) for fact in second["facts"] + rest["facts"])


def test_after_the_last_fact_there_is_none(house: ApiServer, player: Player) -> None:
    seal(house)
    for after in (len(stored(player)), 10_000):
        found = page(player, after=after)
        assert (found["facts"], found["remaining"]) == ([], 0)


def test_facts_that_are_not_sealed_yet_are_not_among_them(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal(house)
    sealed = page(player)
    with monkeypatch.context() as stopped:
        stopped.setattr(Sealer, "keep_up", lambda _: None)
        player.bet("big", 10)
        still = page(player)
        assert still["facts"] == sealed["facts"]
        assert still["remaining"] == 0
    seal(house)
    assert len(page(player)["facts"]) == len(sealed["facts"]) + 1


@pytest.mark.parametrize("size", [0, -1, 4_000_000_000, 10**30])
def test_a_tree_that_is_not_sealed_is_refused(house: ApiServer, player: Player, size: int) -> None:
    seal(house)
    assert refusal(player, size=size) == ("request_malformed", "size")


@pytest.mark.parametrize("after", [-1, 1 << 62, 10**30])
def test_a_version_that_is_none_is_refused(player: Player, after: int) -> None:
    assert refusal(player, after=after) == ("request_malformed", "after")


def test_a_page_counts_by_its_facts(
    house: ApiServer, bettor: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal(house)
    for limit in (0, 1_001):
        assert refusal(bettor, limit=limit) == ("request_malformed", "limit")
    monkeypatch.setattr(long_lists, "ROWS_PER_CALL", 1)
    with counting(house, monkeypatch):
        answers = [bettor.call(ACCOUNT, {"limit": 5}) for _ in range(21)]
    assert [answer["code"] for answer in answers] == [1] * 20 + [0]
    assert answers[-1]["reason"] == "rate_limited"


def test_the_pages_are_a_file_that_a_stranger_verifies(
    house: ApiServer, bettor: Player, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seal(house)
    first = page(bettor, limit=4)
    rest = page(bettor, after=4, size=first["size"])
    evidence = {
        "format": "fairdraw/account/v1",
        "player": str(bettor.id),
        **first["checkpoint"],
        "facts": first["facts"] + rest["facts"],
    }
    file = tmp_path / "account.json"
    file.write_text(json.dumps(evidence))
    assert audit(["verify", str(file)]) == 0
    assert "1  not shown" in capsys.readouterr().out
    del evidence["facts"][3]
    file.write_text(json.dumps(evidence))
    assert audit(["verify", str(file)]) == 1


def test_each_tile_is_read_once() -> None:
    read: list[tuple[int, int]] = []

    class Row:
        def fetchone(self) -> tuple[bytes]:
            return (bytes(32),)

    class Database:
        def cursor(self, **_: object) -> Self:
            return self

        def execute(self, _: str, place: tuple[int, int]) -> Row:
            read.append(place)
            return Row()

    database: Any = Database()
    tiles = StoredTiles(database)
    assert {tiles.tile(0, number) for number in (1, 1, 2, 1)} == {bytes(32)}
    assert read == [(0, 1), (0, 2)]


def test_it_is_not_cached_and_needs_a_session(house: ApiServer, player: Player) -> None:
    answer = house.client.post(f"/api/{ACCOUNT}", json={}, headers={"token": player.token})
    assert answer.headers.get_list("cache-control") == ["no-store"]
    assert house.call(ACCOUNT, {})["reason"] == "token_unknown"
