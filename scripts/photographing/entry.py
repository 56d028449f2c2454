"""`scripts/screenshots`: sets up, then becomes the photographer."""

import os
import sys
from typing import NoReturn

from scripts.photographing.options import read_options
from scripts.toolbox.browser import prepare_browser
from scripts.toolbox.console import exit_on_setup_error
from scripts.toolbox.places import PYTHON, ROOT, tool_environment
from scripts.toolbox.setup import prepare_to_develop, prepare_web_build


def main() -> NoReturn:
    """Read the options first, so that a wrong one is told before anything is set up."""
    read_options(sys.argv[1:])
    for prepare in (prepare_to_develop, prepare_browser, prepare_web_build):
        exit_on_setup_error(prepare)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "scripts.photographing", *sys.argv[1:]]
    os.execve(PYTHON, command, tool_environment() | {"PYTHONPATH": str(ROOT)})
