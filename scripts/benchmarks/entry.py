"""`scripts/bench`: sets up, then becomes the benchmark."""

import os
import sys
from typing import NoReturn

from scripts.benchmarks.options import read_options
from scripts.toolbox.browser import prepare_browser
from scripts.toolbox.console import exit_on_setup_error
from scripts.toolbox.places import PYTHON, ROOT, tool_environment
from scripts.toolbox.setup import prepare_lighthouse, prepare_to_run


def main() -> NoReturn:
    """Read the options first, so that a wrong one is told before anything is set up."""
    options = read_options(sys.argv[1:])
    exit_on_setup_error(prepare_to_run)
    if "web" in options.only:
        exit_on_setup_error(prepare_browser)
        exit_on_setup_error(prepare_lighthouse)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "scripts.benchmarks", *sys.argv[1:]]
    environment = tool_environment() | {"PYTHONPATH": str(ROOT)}
    os.execve(PYTHON, command, environment)
