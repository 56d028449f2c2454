"""`scripts/screenshots`: sets up the environment, then takes the screenshots."""

import os
import sys
from typing import NoReturn

from scripts.devtools.browser import prepare_browser
from scripts.devtools.console import exit_on_setup_error
from scripts.devtools.paths import PYTHON, ROOT, tool_environment
from scripts.devtools.setup import prepare_to_develop, prepare_web_build
from tests.instruments.screenshot_tool.options import read_options


def main() -> NoReturn:
    """Read the options first, so that an invalid one is reported before the setup."""
    read_options(sys.argv[1:])
    for prepare in (prepare_to_develop, prepare_browser, prepare_web_build):
        exit_on_setup_error(prepare)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "tests.instruments.screenshot_tool", *sys.argv[1:]]
    os.execve(PYTHON, command, tool_environment() | {"PYTHONPATH": str(ROOT)})
