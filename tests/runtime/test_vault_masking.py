"""A masked private value shows at most half of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.runtime.vault.validation import HIDDEN, mask_name, mask_number

names = st.text(st.characters(exclude_characters="*"), min_size=1, max_size=70)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Bartholomew Cubbins", "Bar****bins"),
        ("Jane Doe", "Jan****"),
        ("Jane Does", "Jan****s"),
        ("王", "****"),
        ("王小", "王****"),
        ("王小明", "王****"),
        ("欧阳小明", "欧阳****"),
        ("", "****"),
    ],
)
def test_three_characters_four_stars_and_part_of_the_end(name: str, shown: str) -> None:
    assert mask_name(name) == shown


def test_of_a_card_number_the_last_four_digits_show() -> None:
    assert mask_number("6222020012345678") == "****5678"
    assert mask_number("12345") == "****45"
    assert mask_number("1") == "****"


@given(names)
def test_at_most_half_of_a_names_letters_show(name: str) -> None:
    for masked in (mask_name(name), mask_number(name)):
        assert HIDDEN in masked
        seen = [each for each in masked.replace(HIDDEN, "") if not each.isspace()]
        assert len(seen) <= sum(not each.isspace() for each in name) / 2


@given(names)
def test_what_shows_is_the_names_own_beginning_and_end(name: str) -> None:
    head, _, tail = mask_name(name).partition(HIDDEN)
    assert name.startswith(head)
    assert name.endswith(tail)
    assert len(head) <= 3
