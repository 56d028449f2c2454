"""Reading what was typed: a mistake is told in two lines, and names are as the house has them."""

import argparse
import difflib
import re
from typing import NoReturn

_NAME = re.compile(r"[a-z][a-z0-9._-]{0,31}")
_CHOSEN = re.compile(r"argument COMMAND: invalid choice: '([^']*)'")


class Parser(argparse.ArgumentParser):
    """Leaves the long list of options to --help."""

    #: What may be typed as a command; those behind it have none.
    commands: tuple[str, ...] = ()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and leave with 2."""
        chosen = _CHOSEN.match(message)
        if chosen is not None:
            close = difflib.get_close_matches(chosen[1], self.commands, 1)
            meant = f"; did you mean {close[0]}?" if close else ""
            message = f"there is no command {chosen[1]}{meant}"
        self.exit(2, f"{self.prog}: {message}\nsee {self.prog} --help\n")


def staff_name(text: str) -> str:
    """A name of somebody of the staff."""
    if not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text} is no name of the staff: in small letters, as ann"
        )
    return text
