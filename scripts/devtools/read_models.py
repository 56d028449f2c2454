"""`scripts/projections`: prepares Python, then runs `python -m projections`."""

import contextlib
import os
import sys
from typing import NoReturn

from scripts.devtools.console import exit_on_setup_error
from scripts.devtools.paths import DATA_VARIABLE, PYTHON, ROOT, data_folder, tool_environment
from scripts.devtools.setup import prepare_python


def main() -> NoReturn:
    """Stay in the caller's folder, because `--data` may be relative to it."""
    with contextlib.redirect_stdout(sys.stderr):
        exit_on_setup_error(prepare_python)
    sys.stderr.flush()
    command = [str(PYTHON), "-P", "-m", "projections", *sys.argv[1:]]
    named = {"PYTHONPATH": str(ROOT), DATA_VARIABLE: str(data_folder())}
    os.execve(PYTHON, command, tool_environment() | named)
