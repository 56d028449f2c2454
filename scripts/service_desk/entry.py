"""`scripts/desk`: sets up, then becomes the desk."""

import os
import sys
from typing import NoReturn

from scripts.service_desk.options import read_options
from scripts.toolbox.console import exit_on_setup_error
from scripts.toolbox.places import PYTHON, ROOT, tool_environment
from scripts.toolbox.setup import prepare_python


def main() -> NoReturn:
    """Check the options, then pass them on."""
    read_options(sys.argv[1:])
    exit_on_setup_error(prepare_python)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "scripts.service_desk", *sys.argv[1:]]
    os.execve(PYTHON, command, tool_environment() | {"PYTHONPATH": str(ROOT)})
