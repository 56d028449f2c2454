"""`scripts/desk`: sets up, then runs the desk."""

import os
import sys
from typing import NoReturn

from scripts.devtools.console import exit_on_setup_error
from scripts.devtools.paths import PYTHON, ROOT, tool_environment
from scripts.devtools.setup import prepare_python
from scripts.reference_desk.options import read_options


def main() -> NoReturn:
    """Check the options, then pass them on."""
    read_options(sys.argv[1:])
    exit_on_setup_error(prepare_python)
    sys.stdout.flush()
    command = [str(PYTHON), "-P", "-m", "scripts.reference_desk", *sys.argv[1:]]
    os.execve(PYTHON, command, tool_environment() | {"PYTHONPATH": str(ROOT)})
