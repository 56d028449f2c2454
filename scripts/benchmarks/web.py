"""Home and the bet room, loaded by Lighthouse's slow phone from a house that is played in."""

import json
import shutil
import subprocess

from msgspec import Struct
from msgspec import json as msgjson

from scripts.benchmarks.ground import Ground
from scripts.benchmarks.sizes import Sizes
from scripts.benchmarks.workers import NoFigureError
from scripts.photographing.camera import CHROMIUM, QUIET
from scripts.photographing.house import House, HouseError, Member, running_house
from scripts.toolbox.places import LIGHTHOUSE_TOOL, VENV_BIN, tool_environment

_LIMIT_S = 600.0
_HEADLESS = ("--headless=new", *QUIET)
_PAGES = {"home": "/vip/", "room": "/vip/betRoom?id=1&game_id=1"}
_SIGNED_IN = frozenset({"room"})


class _Run(Struct, frozen=True):
    """One load of a page; scores are of 100."""

    final_url: str
    performance: float
    accessibility: float
    best_practices: float
    layout_shift: float
    largest_paint_ms: float
    blocking_ms: float
    code_kb: float
    faults: list[str]


def measure(ground: Ground, sizes: Sizes) -> dict[str, list[float]]:
    """Every figure of every run, by page.

    Raises:
        NoFigureError: a page did not load, or another one came.
    """
    try:
        with running_house(ground.fresh_folder("web")) as house:
            return _measured(house, house.member(), sizes.web_runs)
    except HouseError as error:
        raise NoFigureError(str(error)) from error


def _measured(house: House, member: Member, runs: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for name, path in _PAGES.items():
        signed_in = member if name in _SIGNED_IN else None
        for run in _runs(house.address + path, signed_in, runs):
            if path not in run.final_url:
                raise NoFigureError(f"{name}: {run.final_url} came instead of {path}")
            if run.faults:
                print(f" {name}: {', '.join(run.faults)};", end="", flush=True)
            for figure in _Run.__struct_fields__[1:-1]:
                found.setdefault(f"web_{name}_{figure}", []).append(getattr(run, figure))
    return found


def _runs(url: str, member: Member | None, runs: int) -> list[_Run]:
    chromium = next((path for name in CHROMIUM if (path := shutil.which(name))), "")
    task = {"chromium": chromium, "flags": _HEADLESS, "url": url, "runs": runs}
    try:
        done = subprocess.run(
            [VENV_BIN / "node", "measure.mjs"],
            cwd=LIGHTHOUSE_TOOL,
            env=tool_environment(),
            input=json.dumps(task | {"session": _session(member)}),
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()
        raise NoFigureError(next((line for line in said if "Error" in line), said[-1])) from error
    return msgjson.decode(done.stdout, type=list[_Run])


def _session(member: Member | None) -> str:
    """What the app keeps of who is signed in."""
    if member is None:
        return ""
    user = {"userId": member.user_id, "id": member.user_id, "username": member.name}
    return json.dumps(user | {"token": member.token, "group_id": 1})
