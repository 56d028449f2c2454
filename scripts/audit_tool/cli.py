"""`scripts/audit`: sets up what Python needs, then becomes the audit. Standard library only."""

import contextlib
import os
import sys
from typing import NoReturn

from scripts.devtools.console import exit_on_setup_error
from scripts.devtools.paths import PYTHON, ROOT, tool_environment
from scripts.devtools.setup import prepare_python


def main() -> NoReturn:
    """Standard output is the audit's alone: it may be on its way into a file."""
    with contextlib.redirect_stdout(sys.stderr):
        exit_on_setup_error(prepare_python)
    sys.stderr.flush()
    command = [str(PYTHON), "-m", "scripts.audit_tool", *sys.argv[1:]]
    environment = tool_environment() | {"PYTHONPATH": str(ROOT)}
    os.execve(PYTHON, command, environment)
