from hashlib import sha256
from typing import Any

import pytest

from engine.catalogue import KINDS, NUMBER_KINDS
from engine.odds import BALANCED, SPECIFIED, TABLES, OddsTable, return_ppm, table_hash, warnings


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_has_odds_for_kinds_of_the_catalogue_and_for_all_sums(table: OddsTable) -> None:
    assert set(NUMBER_KINDS) <= set(table.odds_milli) <= set(KINDS)
    assert set(table.kinds) == set(table.odds_milli)


def test_every_kind_is_sold_at_some_table() -> None:
    assert {kind for table in TABLES.values() for kind in table.kinds} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "odds_milli", "returns_ppm"),
    [
        ("big", 1_980, 990_000),
        ("small", 1_980, 990_000),
        ("odd", 1_980, 990_000),
        ("even", 1_980, 990_000),
        ("small_odd", 3_800, 1_022_200),
        ("big_even", 3_800, 1_022_200),
        ("small_even", 3_800, 877_800),
        ("big_odd", 3_800, 877_800),
        ("extreme_small", 11_000, 616_000),
        ("extreme_big", 11_000, 616_000),
        ("0", 950_000, 950_000),
        ("13", 12_660, 949_500),
        ("14", 12_660, 949_500),
    ],
)
def test_the_card_pays_the_specified_odds_and_returns_what_they_are_worth(
    kind: str, odds_milli: int, returns_ppm: int
) -> None:
    assert SPECIFIED.odds_milli[kind] == odds_milli
    assert return_ppm(SPECIFIED, kind) == returns_ppm


def test_the_card_is_warned_of_where_the_house_loses_or_the_player_gets_too_little() -> None:
    assert set(warnings(SPECIFIED)) == {"small_odd", "big_even", "extreme_big", "extreme_small"}


def test_the_balanced_table_needs_no_warning() -> None:
    assert warnings(BALANCED) == ()
    assert {return_ppm(BALANCED, kind) for kind in ("small_odd", "big_even")} == {968_400}
    assert {return_ppm(BALANCED, kind) for kind in ("small_even", "big_odd")} == {970_200}
    assert {return_ppm(BALANCED, kind) for kind in ("extreme_big", "extreme_small")} == {952_000}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_sum_returns_about_95_percent_and_as_much_as_its_mirror(table: OddsTable) -> None:
    for total in range(28):
        assert 949_000 <= return_ppm(table, str(total)) <= 950_000
        assert table.odds_milli[str(total)] == table.odds_milli[str(27 - total)]


def test_a_warning_starts_above_100_and_below_75_percent_not_at_them() -> None:
    at_the_edge = OddsTable("edge", {**BALANCED.odds_milli, "big": 2_000, "small": 1_500})
    past_it = OddsTable("past", {**BALANCED.odds_milli, "big": 2_001, "small": 1_499})
    assert warnings(at_the_edge) == ()
    assert warnings(past_it) == ("big", "small")


def test_a_table_cannot_be_changed_in_place() -> None:
    odds: Any = SPECIFIED.odds_milli
    with pytest.raises(TypeError, match="does not support item assignment"):
        odds["big"] = 5_000


def test_a_tables_hash_is_that_of_its_canonical_json() -> None:
    table = OddsTable("tiny", {"small": 1_980, "big": 1_970})
    written_out = b'{"id":"tiny","odds_milli":{"big":1970,"small":1980}}'
    assert table_hash(table) == sha256(written_out).digest()


def test_the_shipped_tables_never_change_under_their_ids() -> None:
    """Changed odds need a new table: bets and days refer to these two by id and hash."""
    assert {name: table_hash(table).hex() for name, table in TABLES.items()} == {
        "card-21.04.02": "db247dbff588542800836ac27799e324c139780a38371e3edfd75a34e8318f67",
        "balanced": "1fb8b2e5f91c8972e4fc6a8c0b1387c3902d769d23affc0f238e190255a1c361",
    }
