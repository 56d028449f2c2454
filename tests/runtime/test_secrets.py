"""The operator's links stay in the engine until a fact reveals them; key files are made once."""

import base64
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from structlog.testing import capture_logs

from engine.runtime.secret_keys import KEY_BYTES, secret_file
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


def test_processes_that_start_together_have_the_same_new_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as starts:
        for number in range(50):
            path = tmp_path / f"{number}.key"
            found = set(starts.map(secret_file, [path] * 16))
            assert found == {path.read_bytes()}
            assert len(path.read_bytes()) == KEY_BYTES
            assert path.stat().st_mode & 0o777 == 0o600
    assert len(list(tmp_path.iterdir())) == 50
