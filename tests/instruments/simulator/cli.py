"""`scripts/simulate`: sets up the environment, then runs the simulation."""

import os
import sys
from typing import NoReturn

from scripts.devtools.console import exit_on_setup_error
from scripts.devtools.paths import PYTHON, ROOT, tool_environment
from scripts.devtools.setup import prepare_to_run
from tests.instruments.simulator.options import read_options


def main() -> NoReturn:
    """Read the options first, so that an invalid one is reported before the setup."""
    read_options(sys.argv[1:])
    exit_on_setup_error(prepare_to_run)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "tests.instruments.simulator", *sys.argv[1:]]
    environment = tool_environment() | {"PYTHONPATH": str(ROOT)}
    os.execve(PYTHON, command, environment)
