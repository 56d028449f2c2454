"""`scripts/audit`: prepares Python, then runs the audit. Standard library only."""

import contextlib
import os
import sys
from typing import NoReturn

from scripts.devtools.console import exit_on_setup_error
from scripts.devtools.paths import PYTHON, ROOT, tool_environment
from scripts.devtools.setup import prepare_python


def main() -> NoReturn:
    """Prepare with output on standard error only: standard output may be redirected into a file."""
    with contextlib.redirect_stdout(sys.stderr):
        exit_on_setup_error(prepare_python)
    sys.stderr.flush()
    command = [str(PYTHON), "-P", "-m", "scripts.audit_tool", *sys.argv[1:]]
    environment = tool_environment() | {"PYTHONPATH": str(ROOT)}
    os.execve(PYTHON, command, environment)
