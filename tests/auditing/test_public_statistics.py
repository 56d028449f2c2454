"""The public statistics equal those that the auditor's own code computes from the facts."""

from contextlib import closing

import psycopg

from api.game.draw_statistics import made
from engine.runtime.postgres.embedded_postgres import Conninfos
from projections import statistics
from projections.bets import BetProjection
from projections.runner.runner import ProjectionRunner
from projections.statistics import ALL_BETS, BOOKS, ReturnKey, SettledSums
from scripts.audit_tool.draw_audit.statistics import Return
from scripts.audit_tool.draw_audit.stored import last_position
from scripts.audit_tool.fairness import audited_draws
from tests.auditing.drawn_house import DrawnHouse
from tests.projections.history import History
from tests.projections.support import catch_up


def season() -> DrawnHouse:
    """Draws of two games, with bets that players recall and rounds that are voided."""
    house = DrawnHouse(seed=5, games=(1, 2))
    house.draws(3, bets=40)
    house.bets(3)
    house.recalls()
    house.draws(1, bets=5)
    house.bets(3)
    house.voids()
    house.next_day()
    house.draws(3, bets=5)
    return house


def sums(found: Return) -> SettledSums:
    return SettledSums(found.bets, found.stake, found.paid, found.expected, found.variance)


def test_they_are_what_the_auditor_computes(stored: Conninfos, history: History) -> None:
    history.replays(season().sandbox.log)
    # Small pages, so that the bets of a round are in several of them.
    with closing(ProjectionRunner(stored.app, [BetProjection()], page_size=50)) as runner:
        catch_up(runner)
    with psycopg.connect(stored.owner) as connection:
        audit = audited_draws(connection, last_position(connection))
        returns, drawn = statistics.returns(connection), statistics.draw_counts(connection)

    audited = audit.statistics
    by_kind = {
        ReturnKey(game, table, kind, book): sums(found)
        for (game, kind, table, book), found in audited.kinds.items()
    }
    by_book = {
        ReturnKey(game, ALL_BETS, ALL_BETS, book): sums(found)
        for (game, book), found in audited.books.items()
        if book in BOOKS
    }
    assert returns == by_kind | by_book
    assert {key.book for key in returns} == set(BOOKS)
    assert {game: (it.places, it.sums) for game, it in drawn.items()} == {
        game: (tuple(it.places), it.sums) for game, it in audited.uniformity.items()
    }
    for game in made(returns, drawn).games[1:3]:
        tests = audited.uniformity[game.game_id].tests()
        names = {"first": "first digit", "second": "second digit", "third": "third digit"}
        for it in game.uniformity:
            test = tests[names.get(it.of, it.of)]
            assert test is not None
            assert (it.chi_square, it.degrees) == (round(test.value, 3), test.degrees)
            assert abs(it.probability - test.probability) < 1e-6
        assert len(game.uniformity) == sum(test is not None for test in tests.values())
