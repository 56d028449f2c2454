"""`scripts/mutants`: sets up, then becomes the run."""

import os
import sys
from typing import NoReturn

from scripts.mutation.options import read_options
from scripts.toolbox.console import exit_on_setup_error
from scripts.toolbox.places import PYTHON, ROOT, tool_environment
from scripts.toolbox.setup import prepare_to_develop


def main() -> NoReturn:
    """Read the options first, so that a wrong one is told before anything is set up."""
    read_options(sys.argv[1:])
    exit_on_setup_error(prepare_to_develop)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "scripts.mutation", *sys.argv[1:]]
    os.execve(PYTHON, command, tool_environment() | {"PYTHONPATH": str(ROOT)})
