"""Free text is bounded, cleaned, committed to, and kept out of the facts."""

import psycopg
import pytest

from engine.runtime.log import schema
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.runtime.vault import MAX_TEXT_LENGTH, clean_text
from tests.runtime.vaults import Keeper, keeper_of


def test_commitments_hide_equal_words_under_different_keys(keeper: Keeper) -> None:
    keep = keeper.vault.save_clean_text
    first, again = keep("d-1", "words"), keep("d-1", "words")
    assert first == again
    assert keep("d-1", "other words") != first
    assert keep("d-2", "words") != first


def test_the_first_words_kept_stay(keeper: Keeper) -> None:
    keeper.vault.save_clean_text("d-1", "as it was")
    keeper.vault.save_clean_text("d-1", "as it should have been")
    assert keeper.vault.texts(["d-1", "d-2"]) == {"d-1": "as it was"}


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("  two\nlines\t ", "two lines"),
        ("bell\x07 and nul\x00", "bell and nul"),
        ("turned \u202eround\u2066", "turned round"),
        ("half \ud83d", "half"),
        ("王小明 paid — ✓", "王小明 paid — ✓"),
    ],
)
def test_what_cannot_be_seen_is_taken_out(keeper: Keeper, written: str, kept: str) -> None:
    assert clean_text(written) == kept
    keeper.vault.save_clean_text("d-1", written)
    assert keeper.vault.texts(["d-1"]) == {"d-1": kept}


def test_two_hundred_characters_are_kept_and_no_more(keeper: Keeper) -> None:
    keeper.vault.save_clean_text("d-1", " " + "x" * MAX_TEXT_LENGTH)
    with pytest.raises(ValueError, match="201 characters, where 200"):
        keeper.vault.save_clean_text("d-2", "x" * (MAX_TEXT_LENGTH + 1))


def test_words_about_a_member_are_erased_with_the_member(keeper: Keeper) -> None:
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
            connection.execute("DROP TABLE log.migrations")
        schema.create(house_database.owner)
        assert keeper.vault.texts(["d-1"]) == {"d-1": "invoice 7"}
        assert keeper.vault.save_clean_text("d-1", "invoice 7") == committed
