import pytest

from tests.architecture.imports import imported_names, longest_chain, violations
from tests.architecture.sources import Source, python

#: Modules of the api from the program down to a value, each imported by the one before.
MAX_CHAIN = 10


def test_imports_run_one_way() -> None:
    assert violations(python("engine", "projections", "api", "scripts")) == []


def test_the_rules_see_the_whole_tree() -> None:
    seen = {source.module.split(".")[0] for source in python("engine", "projections", "api")}
    assert seen == {"engine", "projections", "api"}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/money.py", "import time"),
        ("engine/money.py", "from uuid import uuid4"),
        ("engine/money.py", "import random"),
        ("engine/money.py", "import logging"),
        ("engine/money.py", "import os.path"),
        ("engine/money.py", "import cryptography"),
        ("engine/money.py", "import psycopg"),
        ("engine/bets/decisions.py", "from engine.runtime.clock import now"),
        ("engine/bets/decisions.py", "from ..runtime import clock"),
        ("engine/strategies.py", "import random"),
        ("engine/strategies.py", "from engine.runtime.clock import now"),
        ("engine/sandbox.py", "from hypothesis import strategies"),
        ("api/game/bets.py", "from engine import strategies"),
        ("engine/runtime/engine.py", "from engine.sandbox import Sandbox"),
        ("engine/fairness/draw.py", "from engine import runtime"),
        ("engine/fairness/draw.py", "import secrets"),
        ("engine/runtime/writer/writer.py", "import api.app"),
        ("engine/runtime/writer/writer.py", "from projections import runner"),
        ("engine/rounds/state.py", "from engine.players.state import Player"),
        ("engine/bets/decisions.py", "from engine.rounds import state"),
        ("engine/house/game_day.py", "from engine.rounds.decisions import close_round"),
        ("projections/winners.py", "from engine.bets.decisions import place_bet"),
        ("projections/winners.py", "from engine.players import state"),
        ("projections/winners.py", "from engine.runtime.writer.writer import Writer"),
        ("projections/winners.py", "from engine.command_handler import decide"),
        ("projections/winners.py", "from engine.staff.passes import evolve"),
        ("projections/winners.py", "import api"),
        ("api/realtime/rooms.py", "from engine.rounds.state import apply"),
        ("api/realtime/rooms.py", "from engine import engine_state"),
        ("api/realtime/rooms.py", "from engine import rounds as r\nr.decisions"),
        ("api/realtime/rooms.py", "from projections.winners import WinnerProjection"),
        ("api/realtime/rooms.py", "from projections import winners\nwinners.WinnerProjection()"),
        ("api/realtime/rooms.py", "from projections.chat import apply"),
        ("api/realtime/rooms.py", "from projections import chat as talk\ntalk.apply"),
        ("api/realtime/rooms.py", "from tests import conftest"),
        ("engine/money.py", "import scripts.devtools.paths"),
        ("scripts/devtools/setup.py", "from engine.money import units"),
    ],
)
def test_a_forbidden_import_is_found(path: str, line: str) -> None:
    assert violations([Source(path, line)])


def test_an_import_inside_a_function_is_found() -> None:
    source = Source("engine/money.py", "def f() -> None:\n    import time\n")
    assert violations([source])


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/money.py", "from collections.abc import Mapping"),
        ("engine/fairness/signing.py", "from cryptography.exceptions import InvalidSignature"),
        ("engine/strategies.py", "from hypothesis import strategies as st"),
        ("engine/strategies.py", "from engine.sandbox import Sandbox"),
        ("engine/rounds/state.py", "from engine.players.facts import BetPlaced"),
        ("engine/runtime/writer/writer.py", "import asyncio"),
        ("projections/winners.py", "from engine.rounds.facts import RoundDrawn"),
        ("projections/runner/runner.py", "from engine.runtime.log.fact_log import FactLog"),
        ("api/realtime/rooms.py", "from projections.winners import winners"),
        ("api/realtime/rooms.py", "from engine.players.commands import PlaceBet"),
    ],
)
def test_an_allowed_import_is_left_alone(path: str, line: str) -> None:
    assert violations([Source(path, line)]) == []


def test_relative_imports_are_read_in_full() -> None:
    source = Source("engine/bets/decisions.py", "from ..rounds import state\nfrom . import facts")
    assert [name for _, name in imported_names(source)] == [
        "engine.rounds.state",
        "engine.bets.facts",
    ]


def test_no_long_chain_of_imports_leads_through_the_api() -> None:
    found = longest_chain(python("api"))
    assert len(found) <= MAX_CHAIN, found


def test_a_long_chain_is_found() -> None:
    chain = [Source(f"api/m{n}.py", f"from api.m{n + 1} import it") for n in range(MAX_CHAIN)]
    assert len(longest_chain([*chain, Source(f"api/m{MAX_CHAIN}.py", "")])) == MAX_CHAIN + 1
