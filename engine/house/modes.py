"""Whether a house plays for real money or for play money."""

from enum import StrEnum


class Mode(StrEnum):
    """A closed list; facts hold these words."""

    DEMO = "demo"
    REAL = "real"
