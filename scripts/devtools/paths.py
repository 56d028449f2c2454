"""Paths in the checkout or installed copy, and the environment in which its programs run."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
WEBAPP = ROOT / "webapp"
TYPES_TOOL = WEBAPP / "tools" / "types"
LIGHTHOUSE_TOOL = WEBAPP / "tools" / "lighthouse"
VENV = ROOT / ".venv"
VENV_BIN = VENV / "bin"
#: Whether this is a copy that pip installed. It has no checkout around it, so nothing is set up or
#: built, and it runs with the Python for which it was installed.
INSTALLED = not (ROOT / "pyproject.toml").is_file()
PYTHON = Path(sys.executable) if INSTALLED else VENV_BIN / "python"
CACHE = ROOT / ".cache"
#: Names the data folder if `--data` does not; api/README.md lists it among the settings.
DATA_VARIABLE = "FAIRDRAW_DATA"
_COMMAND = re.compile(
    r"\bscripts/(run|projections|office|deposit|audit|gateway|desk|witness|backup|restore)\b"
)
_NOT_OURS = frozenset({"PYTHONHOME", "PYTHONDONTWRITEBYTECODE"})


def data_folder() -> Path:
    """Returns the data folder if the command line names none.

    It is in the checkout; for an installed copy, in the caller's folder.
    """
    return Path(os.environ.get(DATA_VARIABLE) or (".data" if INSTALLED else ROOT / ".data"))


def as_typed(text: str) -> str:
    """Returns a text that names commands as they are typed here: an installed copy's differ."""
    return _COMMAND.sub(r"fairdraw-\1", text) if INSTALLED else text


def tool_environment() -> dict[str, str]:
    """Returns the caller's environment, with a checkout's Python, Node and npm first."""
    inherited = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    if INSTALLED:
        return inherited
    path = os.pathsep.join([str(VENV_BIN), os.environ.get("PATH", os.defpath)])
    return inherited | {
        "PATH": path,
        "VIRTUAL_ENV": str(VENV),
        "npm_config_cache": str(CACHE / "npm"),
        # A test run starts hundreds of programs; this compiles them once.
        "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode"),
        "NODE_USE_SYSTEM_CA": "1",  # behind a company's proxy, trust the system's certificates
    }
