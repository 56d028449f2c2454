"""Names and passwords, apart from the facts."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from engine.refusals import Refusal
from engine.runtime.postgres import Conninfos
from engine.runtime.vault import Application, Member, NotEnrolled, Vault, VaultKeys

PASSWORD = "secret-enough-1"


@pytest.fixture
def vault(house_database: Conninfos) -> Iterator[Vault]:
    with ConnectionPool(
        house_database.app, connection_class=Connection[TupleRow], min_size=1, max_size=8, open=True
    ) as pool:
        yield Vault(pool, lambda: 1_795_226_700_000_000, VaultKeys({1: bytes(32)}, bytes(32)))


def asks(username: str = "name1234", key: str | None = None, **more: bool) -> Application:
    return Application(username, PASSWORD, 1, None, key, **more)


def enrolled(vault: Vault, application: Application) -> Member:
    member = vault.enrol(application)
    assert isinstance(member, Member)
    return member


def test_player_ids_count_up_from_10001(vault: Vault) -> None:
    assert [enrolled(vault, asks(name)).player for name in ("first1", "second2")] == [10001, 10002]


def test_of_many_who_ask_for_one_name_one_gets_it(vault: Vault) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(vault.enrol, [asks() for _ in range(16)]))
    assert sum(isinstance(each, Member) for each in found) == 1
    refusals = {each.refusal for each in found if isinstance(each, NotEnrolled)}
    assert refusals == {Refusal.USERNAME_TAKEN}


def test_of_many_calls_with_one_key_all_find_the_same_member(vault: Vault) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(vault.enrol, [asks(key="k") for _ in range(16)]))
    assert {each.player for each in found if isinstance(each, Member)} == {10001}
    assert not [each for each in found if isinstance(each, NotEnrolled)]


def test_a_key_is_for_one_name_and_one_password(vault: Vault) -> None:
    enrolled(vault, asks(key="k"))
    assert vault.enrol(asks("other123", "k")) == NotEnrolled(Refusal.KEY_REUSED, "username")
    other = Application("name1234", "another-one", 1, None, "k")
    assert vault.enrol(other) == NotEnrolled(Refusal.KEY_REUSED, "password")


def test_a_name_that_may_be_changed_gets_a_suffix_when_it_is_taken(vault: Vault) -> None:
    names = [enrolled(vault, asks("visitor1", may_rename=True)).username for _ in range(3)]
    assert names == ["visitor1", "visitor1-2", "visitor1-3"]


def test_commitments_hide_equal_words_under_different_keys(vault: Vault) -> None:
    first, again = vault.keep_reference("d-1", "words"), vault.keep_reference("d-1", "words")
    assert first == again
    assert vault.keep_reference("d-1", "other words") != first
    assert vault.keep_reference("d-2", "words") != first


def test_members_are_found_by_name_or_by_id(vault: Vault) -> None:
    member = enrolled(vault, asks())
    assert vault.find("NAME1234") == member
    assert vault.find(str(member.player)) == member
    assert vault.find("9" * 30) is None
    assert vault.nicknames([member.player, 5]) == {member.player: "name1234"}
