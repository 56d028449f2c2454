"""The Python lines of the front page run as they are printed."""

import re
from typing import Any

from engine.bets.facts import BetSettled
from scripts.devtools.paths import ROOT


def test_the_ten_lines_of_the_front_page_run() -> None:
    page = (ROOT / "README.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len([line for line in block.splitlines() if line]) == 10
    names: dict[str, Any] = {}
    exec(compile(block, "README.md", "exec"), names)
    settled = [each for each in names["house"].log if isinstance(each.fact, BetSettled)]
    assert len(settled) == 1
