from engine.catalogue import GAMES, PLANS, plans_of
from engine.money import units


def test_four_games_are_on_sale() -> None:
    assert {game.id: game.name for game in GAMES.values()} == {
        1: "Singapore",
        2: "New Zealand",
        3: "Kuala Lumpur",
        4: "Australia",
    }


def test_thirty_six_plans_are_numbered_by_game_then_room_then_hall() -> None:
    assert list(PLANS) == list(range(1, 37))
    places = [(plan.game, plan.vip, plan.type) for plan in PLANS.values()]
    assert places == sorted(set(places))
    assert all(
        plan.id == (plan.game - 1) * 9 + 3 * plan.vip + plan.type + 1 for plan in PLANS.values()
    )


def test_a_games_plans_are_its_nine_in_order() -> None:
    assert [plan.id for plan in plans_of(2)] == list(range(10, 19))
    assert plans_of(5) == ()


def test_the_least_stake_follows_the_hall_in_every_room() -> None:
    least = {(plan.type, plan.min_stake_minor) for plan in PLANS.values()}
    assert least == {(0, units(1)), (1, units(10)), (2, units(50))}


def test_the_balance_to_enter_a_hall_grows_tenfold_from_room_to_room() -> None:
    to_enter = [plan.join_minor for plan in plans_of(1)]
    first_room = [units(0), units(500), units(2_000)]
    assert to_enter == [units_ * factor for factor in (1, 10, 100) for units_ in first_room]


def test_a_title_names_the_room_and_the_hall() -> None:
    titles = [plan.title for plan in plans_of(4)]
    assert titles[0] == "VIP1 Ordinary hall"
    assert titles[4] == "VIP2 Mid-level hall"
    assert titles[8] == "VIP3 High-level hall"
