"""The audit finds an odds table that one person set, or that a day did not use."""

import pytest

from engine.facts import Fact
from engine.house.facts import DayOpened, OddsProposed, OddsSet, ProposalRejected
from scripts.audit_tool.check_facts import OddsCheck
from tests.golden.samples import FACTS
from tests.projections.history import History

ANN, BOB = "staff:ann", "staff:bob"
PROPOSED = OddsProposed("balanced", ANN)
AGREED = OddsSet("balanced", "2026-11-21", BOB)
LATER = OddsSet("balanced", "2026-11-22", BOB)
(OPENED,) = FACTS["day-opened.1"]


def wrong(*facts: Fact) -> list[str]:
    """The findings of a check on a log of these facts."""
    history, check = History(), OddsCheck()
    for fact in facts:
        history.append(("game-4" if isinstance(fact, DayOpened) else "house", fact))
    return [what for recorded in history.facts for what in check.take(recorded)]


def test_a_table_that_two_people_set_applies_from_its_day_on() -> None:
    assert isinstance(OPENED, DayOpened)
    assert wrong(PROPOSED, LATER, OPENED) == []


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ((AGREED,), "balanced was set without a proposal"),
        ((OddsProposed("balanced", BOB), AGREED), "balanced was set by staff:bob alone"),
        ((PROPOSED, ProposalRejected("odds-1", BOB), AGREED), "without a proposal"),
        ((PROPOSED, AGREED, OPENED), "opened 2026-11-21 at card-21.04.02, for which balanced"),
    ],
)
def test_anything_else_is_found(facts: tuple[Fact, ...], expected: str) -> None:
    (found,) = wrong(*facts)
    assert expected in found
