"""The operator's links stay in the engine until a fact reveals them."""

import base64

from structlog.testing import capture_logs

from tests.runtime.house import EngineHarness, driven


@driven
async def test_no_log_line_contains_an_unrevealed_link(house: EngineHarness) -> None:
    """A link reveals every earlier one of its day, and with the witness's link the draws."""
    with capture_logs() as lines:
        async with house:
            for _ in range(3):
                house.clock.now = house.sale().opened.draws_at
                await house.tick()
            day = house.engine.state.games[1]
            links = house.engine._context.chains.links(1, day.day)
    hidden = links[day.last_index + 1 :]
    assert len(hidden) > 3
    assert len(lines) > 3
    text = repr(lines)
    forms = [form(link) for link in hidden for form in (bytes.hex, base64.b64encode, repr)]
    assert [found for found in forms if str(found) in text] == []
