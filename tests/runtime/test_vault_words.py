"""Free text is limited, cleaned, committed to, and stored outside the facts."""

import psycopg
import pytest

from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.vault import MAX_TEXT_LENGTH, clean_text
from tests.runtime.vaults import Keeper, keeper_of


def test_commitments_of_equal_texts_differ_between_ids(keeper: Keeper) -> None:
    save = keeper.vault.save_clean_text
    first, again = save("d-1", "words"), save("d-1", "words")
    assert first == again
    assert save("d-1", "other words") != first
    assert save("d-2", "words") != first


def test_the_first_stored_text_is_not_overwritten(keeper: Keeper) -> None:
    keeper.vault.save_clean_text("d-1", "as it was")
    keeper.vault.save_clean_text("d-1", "as it should have been")
    assert keeper.vault.texts(["d-1", "d-2"]) == {"d-1": "as it was"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("  two\nlines\t ", "two lines"),
        ("bell\x07 and nul\x00", "bell and nul"),
        ("turned \u202eround\u2066", "turned round"),
        ("half \ud83d", "half"),
        ("王小明 paid — ✓", "王小明 paid — ✓"),
    ],
)
def test_invisible_characters_are_removed(keeper: Keeper, written: str, expected: str) -> None:
    assert clean_text(written) == expected
    keeper.vault.save_clean_text("d-1", written)
    assert keeper.vault.texts(["d-1"]) == {"d-1": expected}


def test_a_text_has_at_most_two_hundred_characters(keeper: Keeper) -> None:
    keeper.vault.save_clean_text("d-1", " " + "x" * MAX_TEXT_LENGTH)
    with pytest.raises(ValueError, match="201 characters, where 200"):
        keeper.vault.save_clean_text("d-2", "x" * (MAX_TEXT_LENGTH + 1))


def test_texts_about_a_player_are_erased_with_the_player(keeper: Keeper) -> None:
    player = keeper.join()
    keeper.vault.save_clean_text("d-1", "from Jane Doe", player)
    keeper.vault.save_clean_text("d-2", "a promotion's text")
    keeper.vault.erase(player)
    assert keeper.vault.texts(["d-1", "d-2"]) == {"d-2": "a promotion's text"}


def test_the_references_of_an_older_database_are_still_there(house_database: Conninfos) -> None:
    with keeper_of(house_database) as keeper:
        committed = keeper.vault.save_clean_text("d-1", "invoice 7")
        with psycopg.connect(house_database.owner) as connection:
            connection.execute("ALTER TABLE vault.words RENAME TO deposit_references")
            connection.execute("ALTER TABLE vault.deposit_references DROP COLUMN player")
            connection.execute("DELETE FROM log.migrations WHERE number = 1")
        schema.create(house_database.owner)
        assert keeper.vault.texts(["d-1"]) == {"d-1": "invoice 7"}
        assert keeper.vault.save_clean_text("d-1", "invoice 7") == committed
