"""`scripts/bench`: sets up the environment, then runs the benchmark."""

import os
import sys
from dataclasses import replace
from typing import NoReturn

from scripts.devtools.browser import prepare_browser
from scripts.devtools.console import SetupError, exit_on_setup_error
from scripts.devtools.paths import PYTHON, ROOT, tool_environment
from scripts.devtools.setup import prepare_lighthouse, prepare_to_run
from tests.instruments.load_tests.options import BenchOptions, read_options


def main() -> NoReturn:
    """Read the options first, so that an invalid one is reported before the setup."""
    options = read_options(sys.argv[1:])
    exit_on_setup_error(prepare_to_run)
    if "web" in options.only:
        options = _with_browser(options)
    sys.stdout.flush()
    command = [str(PYTHON), "-m", "tests.instruments.load_tests", *options.arguments()]
    environment = tool_environment() | {"PYTHONPATH": str(ROOT)}
    os.execve(PYTHON, command, environment)


def _with_browser(options: BenchOptions) -> BenchOptions:
    """The options without `web` if there is no browser. Exits if only `web` was requested."""
    try:
        prepare_browser()
        prepare_lighthouse()
    except SetupError as error:
        others = tuple(name for name in options.only if name != "web")
        if not others:
            sys.exit(f"scripts/bench: web cannot run. {error}")
        print(f"web is left out. {error}")
        return replace(options, only=others)
    return options
