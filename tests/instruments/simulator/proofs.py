"""Every draw of a day, verified as a player could: only with `engine.fairness.verify`."""

from engine.fairness.canonical import canonical
from engine.fairness.verify import PublishedRound, verify_round
from engine.house.facts import DayOpened
from engine.house.game_day import record_of as day_record
from engine.rounds.facts import RoundClosed, RoundDrawn
from engine.rounds.state import record_of as frozen_record
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
    published = PublishedRound(
        day_opened=canonical(day_record(opened)),
        day_signature_operator=bytes.fromhex(opened.operator_signature),
        day_signature_witness=bytes.fromhex(opened.witness_signature),
        frozen=canonical(frozen_record(closed)),
        frozen_signature_operator=bytes.fromhex(drawn.operator_signature),
        release_signature_witness=bytes.fromhex(drawn.witness_signature),
        operator_link=bytes.fromhex(drawn.operator_secret),
        witness_link=bytes.fromhex(drawn.witness_secret),
        digits=drawn.digits,
    )
    found = verify_round(server.key.public, server.witness.public, published)
    wrong = [finding.check for finding in found if not finding.passed]
    check(not wrong, "a draw that cannot be verified", wrong, drawn)
