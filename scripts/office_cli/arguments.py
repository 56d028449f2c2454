"""Parsing of the command line: an error is two lines, and names are in the server's form."""

import argparse
import difflib
import re
from typing import NoReturn

_NAME = re.compile(r"[a-z][a-z0-9._-]{0,31}")
_CHOSEN = re.compile(r"argument COMMAND: invalid choice: '([^']*)'")


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors refer to --help instead of listing all options."""

    #: The valid commands; empty in the parsers of single commands.
    commands: tuple[str, ...] = ()

    def error(self, message: str) -> NoReturn:
        """Print the error, and exit with 2."""
        chosen = _CHOSEN.match(message)
        if chosen is not None:
            close = difflib.get_close_matches(chosen[1], self.commands, 1)
            meant = f"; did you mean {close[0]}?" if close else ""
            message = f"there is no command {chosen[1]}{meant}"
        self.exit(2, f"{self.prog}: {message}\nsee {self.prog} --help\n")


def staff_name(text: str) -> str:
    """Parse the name of a staff member."""
    if not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text} is not a staff name: use lower case, for example ann"
        )
    return text
