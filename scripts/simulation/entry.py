"""`scripts/simulate`: sets up, then becomes the simulation."""

import os
import sys
from typing import NoReturn

from scripts.simulation.options import read_options
from scripts.toolbox.console import exit_on_setup_error
from scripts.toolbox.places import PYTHON, ROOT, tool_environment
from scripts.toolbox.setup import prepare_to_run


def main() -> NoReturn:
    """Read the options first, so that a wrong one is told before anything is set up."""
    read_options(sys.argv[1:])
    exit_on_setup_error(prepare_to_run)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "scripts.simulation", *sys.argv[1:]]
    environment = tool_environment() | {"PYTHONPATH": str(ROOT)}
    os.execve(PYTHON, command, environment)
