"""The server's texts, one folder a language: its messages, and the first content of a new house.

To add a language, add its folder; the web app has its own list (webapp/src/lib/locales.ts).
"""

from pathlib import Path
from typing import Final

DEFAULT: Final = "en"
_ROOT: Final = Path(__file__).parent
LOCALES: Final = tuple(sorted(file.parent.name for file in _ROOT.glob("*/messages.json")))


def read(locale: str, name: str) -> bytes:
    """Returns the content of a file of this language."""
    return (_ROOT / locale / name).read_bytes()
