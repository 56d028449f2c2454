"""Home and the bet room, loaded by Lighthouse's slow phone from a server with players."""

import json
import re
import subprocess

from msgspec import Struct
from msgspec import json as msgjson

from scripts.devtools.browser import CHROMIUM_FLAGS, find_chromium
from scripts.devtools.paths import LIGHTHOUSE_TOOL, VENV_BIN, tool_environment
from tests.instruments.load_tests.bench_database import BenchDatabase
from tests.instruments.load_tests.sizes import Sizes
from tests.instruments.load_tests.workers import NoFigureError
from tests.instruments.screenshot_tool.demo_server import (
    DemoServer,
    DemoServerError,
    ScreenshotPlayer,
    running_demo_server,
)

_LIMIT_S = 600.0
_HEADLESS = ("--headless=new", *CHROMIUM_FLAGS)
# Node prints the source line of the error first, indented or not, and then the error.
_ERROR = re.compile(r"^(?:Uncaught )?\w*Error: (.+)$", re.MULTILINE)
_NO_LAUNCH = re.compile(
    r"^Error: Failed to launch the browser process.*?^stderr:\n(\S[^\n]*)", re.MULTILINE | re.DOTALL
)
_PAGES = {"home": "/vip/", "room": "/vip/betRoom?id=1&game_id=1"}
_SIGNED_IN = frozenset({"room"})


class _Run(Struct, frozen=True):
    """One load of a page; scores are out of 100."""

    final_url: str
    performance: float
    accessibility: float
    best_practices: float
    layout_shift: float
    largest_paint_ms: float
    blocking_ms: float
    code_kb: float
    faults: list[str]


def measure(bench_db: BenchDatabase, sizes: Sizes) -> dict[str, list[float]]:
    """Every figure of every run, by page.

    Raises: NoFigureError: a page did not load, or another one loaded.
    """
    try:
        with running_demo_server(bench_db.fresh_folder("web")) as server:
            return _measured(server, server.register_player(), sizes.web_runs)
    except DemoServerError as error:
        raise NoFigureError(str(error)) from error


def _measured(server: DemoServer, player: ScreenshotPlayer, runs: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for name, path in _PAGES.items():
        signed_in = player if name in _SIGNED_IN else None
        for run in _runs(server.address + path, signed_in, runs):
            if path not in run.final_url:
                raise NoFigureError(f"{name}: {run.final_url} came instead of {path}")
            if run.faults:
                print(f" {name}: {', '.join(run.faults)};", end="", flush=True)
            for figure in _Run.__struct_fields__[1:-1]:
                found.setdefault(f"web_{name}_{figure}", []).append(getattr(run, figure))
    return found


def _runs(url: str, player: ScreenshotPlayer | None, runs: int) -> list[_Run]:
    task = {"chromium": browser(), "flags": _HEADLESS, "url": url, "runs": runs}
    try:
        done = subprocess.run(
            [VENV_BIN / "node", "measure.mjs"],
            cwd=LIGHTHOUSE_TOOL,
            env=tool_environment(),
            input=json.dumps(task | {"session": _session(player)}),
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise NoFigureError(reason_in(error.stderr)) from error
    return msgjson.decode(done.stdout, type=list[_Run])


def browser() -> str:
    """The path of Chromium.

    Raises:
        NoFigureError: it is not installed.
    """
    path = find_chromium()
    if path is None:
        raise NoFigureError("no Chromium is installed, so no page was loaded")
    return path


def reason_in(stderr: str) -> str:
    """The reason of Lighthouse's failure, in one line of Node's output."""
    if launch := _NO_LAUNCH.search(stderr):
        return f"Chromium cannot run here: {launch[1]}"
    if error := _ERROR.search(stderr):
        return error[1]
    return (stderr.strip().splitlines() or ["Lighthouse ended without output"])[-1]


def _session(player: ScreenshotPlayer | None) -> str:
    """The app's stored session of a player."""
    if player is None:
        return ""
    user = {"userId": player.user_id, "id": player.user_id, "username": player.name}
    return json.dumps(user | {"token": player.token, "group_id": 1})
