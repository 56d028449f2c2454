"""Simulates a short day per seed in SIMULATION_SEEDS ("7" or "7,8,9"; three seeds if unset)."""

import os
from typing import get_args

import pytest

from engine.house.commands import OfficeCommand
from engine.players.commands import PlayerCommand
from tests.instruments.simulator.report import replay_command
from tests.instruments.simulator.simulation import SimulationConfig, simulate

SEEDS = [int(seed) for seed in os.environ.get("SIMULATION_SEEDS", "1,2,3").split(",")]


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_every_invariant_holds_through_a_short_day(seed: int) -> None:
    plan = SimulationConfig(seed, members=60, rounds=20)
    result = simulate(plan)
    assert not result.failure, f"{result.failure}\nreplay it with {replay_command(plan)}"
    assert result.sent.keys() >= {
        command.__name__ for command in get_args(PlayerCommand | OfficeCommand)
    }
    assert sum(result.troubles.values()) > 5
