"""Whether a house plays for real money or for play money."""

from enum import StrEnum


class Mode(StrEnum):
    """A closed list; facts store these values."""

    DEMO = "demo"
    REAL = "real"
