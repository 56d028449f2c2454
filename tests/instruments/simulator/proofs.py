"""Every draw of a day, verified as a player could: only with `engine.fairness.verify`."""

from engine.fairness.verify import verify_round
from engine.house.facts import DayOpened
from engine.rounds.facts import RoundClosed, RoundDrawn
from engine.sandbox import published_round
from tests.instruments.simulator.oracle import check
from tests.instruments.simulator.simulated_server import SimulatedServer


def check_draws(server: SimulatedServer, after: int) -> None:
    """Verify the draws after position `after`, whose days were also opened after it."""
    days: dict[tuple[int, str], DayOpened] = {}
    closes: dict[tuple[int, str], RoundClosed] = {}
    for recorded in server.log.facts[after:]:
        match recorded.fact:
            case DayOpened() as opened:
                days[opened.game, opened.day] = opened
            case RoundClosed() as closed:
                closes[closed.game, closed.issue] = closed
            case RoundDrawn() as drawn:
                of_day = days[drawn.game, drawn.day]
                _check(server, of_day, closes.pop((drawn.game, drawn.issue)), drawn)
            case _:
                pass


def _check(
    server: SimulatedServer, opened: DayOpened, closed: RoundClosed, drawn: RoundDrawn
) -> None:
    published = published_round(opened, closed, drawn)
    found = verify_round(server.key.public, server.witness.public, published)
    wrong = [finding.check for finding in found if not finding.passed]
    check(not wrong, "a draw that cannot be verified", wrong, drawn)
